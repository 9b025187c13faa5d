#include "groma/launch/rank_times.hpp"

#include <optional>
#include <stdexcept>

#include "groma/mpi/together.hpp"
#include "groma/record/recorder.hpp"

namespace groma {
namespace {

constexpr int rank_times_tag = 8;

/// On rank 0: what a member sends it.
void receive_times(const Comm& world, int member, std::vector<std::int64_t>& times) {
  MPI_Status status;
  MPI_Probe(member, rank_times_tag, world.get(), &status);
  int count = 0;
  MPI_Get_count(&status, MPI_INT64_T, &count);
  times.resize(static_cast<std::size_t>(count));
  MPI_Recv(times.data(), count, MPI_INT64_T, member, rank_times_tag, world.get(), MPI_STATUS_IGNORE);
}

}  // namespace

std::int64_t append_rank_times(const Comm& world, const std::string& records, const std::vector<int>& members,
                               std::span<const std::int64_t> own) {
  std::int64_t begin = 0;
  std::string fault;  // the others send until they are done, even if the file can't be written
  const auto attempt = [&](auto action) {
    try {
      if (fault.empty()) action();
    } catch (const std::runtime_error& error) {
      fault = error.what();
    }
  };
  if (world.rank() == 0) {
    std::optional<RanksFile> file;
    attempt([&] { begin = file.emplace(records).size(); });
    std::vector<std::int64_t> received;
    for (const int member : members) {
      if (member != 0) receive_times(world, member, received);
      attempt([&] { file->append(member == 0 ? own : std::span<const std::int64_t>(received)); });
    }
  } else if (!own.empty()) {
    // Synchronous: rank 0 takes one member's after the other's, and should not have to hold the rest.
    MPI_Ssend(own.data(), static_cast<int>(own.size()), MPI_INT64_T, 0, rank_times_tag, world.get());
  }
  throw_together<OutputError>(world, fault);
  return begin;
}

}  // namespace groma
