#include "groma/mpi/startup.hpp"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>

namespace groma {
namespace {

StartUp& noted() {
  static StartUp once;
  return once;
}

std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t pages = 0;
  std::int64_t resident = 0;
  return file >> pages >> resident ? resident * sysconf(_SC_PAGESIZE) : 0;
}

std::int64_t now_ns() { return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// One exchange with the partner, in ns.
std::int64_t exchange_ns(int partner) {
  std::int64_t sent = 1;
  std::int64_t received = 0;
  const std::int64_t begin_ns = now_ns();
  MPI_Sendrecv(&sent, 1, MPI_INT64_T, partner, 0, &received, 1, MPI_INT64_T, partner, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  return now_ns() - begin_ns;
}

}  // namespace

const StartUp& startup() { return noted(); }

void start_mpi(int& argc, char**& argv, int thread_level) {
  StartUp& seen = noted();
  seen.memory_before_bytes = resident_bytes();
  int provided = 0;
  const std::int64_t begin_ns = now_ns();
  MPI_Init_thread(&argc, &argv, thread_level, &provided);
  seen.init_ns = now_ns() - begin_ns;
  seen.memory_after_bytes = resident_bytes();
}

std::int64_t end_mpi() {
  MPI_Barrier(MPI_COMM_WORLD);
  const std::int64_t begin_ns = now_ns();
  MPI_Finalize();
  return now_ns() - begin_ns;
}

void exchange_first_messages() {
  StartUp& seen = noted();
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int rounds = ranks + ranks % 2 - 1;
  const int turns = ranks < 2 ? 0 : std::min(rounds, most_peers);
  std::vector<int> partners;
  for (int turn = 0; turn < turns; ++turn) {
    partners.push_back(partner_in_round(rank, ranks, static_cast<int>(std::int64_t{turn} * rounds / turns)));
  }
  for (const int partner : partners) {
    seen.first_ns.push_back(partner < 0 ? 0 : exchange_ns(partner));
    seen.second_ns.push_back(partner < 0 ? 0 : exchange_ns(partner));
  }
  seen.memory_after_messages_bytes = resident_bytes();
  for (std::size_t turn = 0; turn < partners.size(); ++turn) {
    if (partners[turn] < 0) continue;
    std::array<std::int64_t, 2> mine{seen.first_ns[turn], seen.second_ns[turn]};
    std::array<std::int64_t, 2> theirs{};
    MPI_Sendrecv(mine.data(), 2, MPI_INT64_T, partners[turn], 0, theirs.data(), 2, MPI_INT64_T, partners[turn], 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    seen.first_ns[turn] = std::min(mine[0], theirs[0]);
    seen.second_ns[turn] = std::min(mine[1], theirs[1]);
  }
}

}  // namespace groma
