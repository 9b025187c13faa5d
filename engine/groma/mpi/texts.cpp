#include "groma/mpi/texts.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace groma {
namespace {

constexpr int texts_tag = 1;

/// The texts of consecutive ranks: their lengths in bytes, and what they say, one after the other.
struct Texts {
  std::vector<std::int64_t> lengths;
  std::string all;
};

void send(const Texts& texts, int to, const Comm& comm) {
  MPI_Send(texts.lengths.data(), static_cast<int>(texts.lengths.size()), MPI_INT64_T, to, texts_tag, comm.get());
  if (texts.all.empty()) return;
  MPI_Send(texts.all.data(), static_cast<int>(texts.all.size()), MPI_CHAR, to, texts_tag, comm.get());
}

/// Append the texts of `ranks` ranks, which `from` sends.
void receive(Texts& texts, int ranks, int from, const Comm& comm) {
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(ranks));
  MPI_Recv(lengths.data(), ranks, MPI_INT64_T, from, texts_tag, comm.get(), MPI_STATUS_IGNORE);
  texts.lengths.insert(texts.lengths.end(), lengths.begin(), lengths.end());
  const auto bytes = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  if (bytes == 0) return;
  const std::size_t before = texts.all.size();
  texts.all.resize(before + static_cast<std::size_t>(bytes));
  MPI_Recv(texts.all.data() + before, static_cast<int>(bytes), MPI_CHAR, from, texts_tag, comm.get(),
           MPI_STATUS_IGNORE);
}

}  // namespace

std::string broadcast_text(const Comm& comm, std::string text, int from) {
  auto length = static_cast<std::int64_t>(text.size());
  MPI_Bcast(&length, 1, MPI_INT64_T, from, comm.get());
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, from, comm.get());
  return text;
}

std::vector<std::string> gather_texts(const Comm& comm, const std::string& text) {
  // A binomial tree: rank 0 receives from log2(p) ranks. In most libraries' MPI_Gatherv every rank sends to it.
  Texts mine{{static_cast<std::int64_t>(text.size())}, text};
  for (int apart = 1; apart < comm.size(); apart *= 2) {
    if ((comm.rank() & apart) != 0) {
      send(mine, comm.rank() - apart, comm);
      return {};
    }
    const int from = comm.rank() + apart;
    if (from < comm.size()) receive(mine, std::min(apart, comm.size() - from), from, comm);
  }
  std::vector<std::string> texts;
  std::size_t start = 0;
  for (const std::int64_t length : mine.lengths) {
    texts.push_back(mine.all.substr(start, static_cast<std::size_t>(length)));
    start += static_cast<std::size_t>(length);
  }
  return texts;
}

}  // namespace groma
