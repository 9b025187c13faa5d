#include "groma/machine/bounce.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <new>

#include "groma/clock/clocks.hpp"
#include "groma/machine/cpus.hpp"
#include "groma/machine/seats.hpp"
#include "groma/machine/shared_memory.hpp"
#include "groma/mpi/asleep.hpp"

namespace groma {
namespace {

constexpr std::int64_t stop_sign = -1;
constexpr std::int64_t longest_bounce_ns = 5'000'000;

/// The flags need lines of their own in shared memory; the second rank must not look before the first has made them.
std::array<double, 2> bounce_both(const Comm& node, const std::array<Seat, 2>& seats, void* memory) {
  std::size_t space = 4 * sizeof(CacheLine);
  CacheLine* lines = static_cast<CacheLine*>(std::align(alignof(CacheLine), 3 * sizeof(CacheLine), memory, space));
  const bool leader = node.rank() == seats[0].rank;
  const StayOn here(seats[leader ? 0 : 1].cpu);
  if (leader) {
    new (lines) CacheLine[3];
    MPI_Send(nullptr, 0, MPI_INT, seats[1].rank, 0, node.get());
  } else {
    MPI_Recv(nullptr, 0, MPI_INT, seats[0].rank, 0, node.get(), MPI_STATUS_IGNORE);
  }
  const double one_line = bounce(lines[0], lines[0], leader, longest_bounce_ns);
  return {one_line, bounce(lines[1], lines[2], leader, longest_bounce_ns)};
}

}  // namespace

double bounce(CacheLine& to, CacheLine& from, bool leader, std::int64_t longest_ns) {
  constexpr int trips = 500;
  constexpr int least_turns = 2 * 2 * trips;  // two groups: an interruption lengthens one of them
  double shortest_ns = std::numeric_limits<double>::infinity();
  std::int64_t turn = 0;
  const std::int64_t begin = Monotonic::now();
  std::atomic<std::int64_t>& mine = leader ? to.value : from.value;
  std::atomic<std::int64_t>& theirs = leader ? from.value : to.value;
  while (true) {
    const std::int64_t start = Monotonic::now();
    if (leader && turn >= least_turns && start - begin > longest_ns) {
      mine.store(stop_sign, std::memory_order_release);
      return shortest_ns;
    }
    for (int trip = 0; trip < trips; ++trip, turn += 2) {
      if (leader) mine.store(turn + 1, std::memory_order_release);
      const std::int64_t awaited = leader ? turn + 2 : turn + 1;
      std::int64_t seen = 0;
      while ((seen = theirs.load(std::memory_order_acquire)) != awaited) {
        if (seen == stop_sign) return 0;
      }
      if (!leader) mine.store(turn + 2, std::memory_order_release);
    }
    shortest_ns = std::min(shortest_ns, static_cast<double>(Monotonic::now() - start) / (2.0 * trips));
  }
}

schema::Limits measure_bounce(const Comm& world, const Comm& sharing) {
  const auto seats = seats_of(sharing);
  const int candidate = seats && sharing.rank() == seats->front().rank ? world.rank() : world.size();
  int leader = 0;
  MPI_Allreduce(&candidate, &leader, 1, MPI_INT, MPI_MIN, world.get());
  if (leader == world.size()) {
    return {};
  }
  int leads_here = world.rank() == leader ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &leads_here, 1, MPI_INT, MPI_MAX, sharing.get());
  std::array<double, 2> figures{};
  int partner = world.rank();
  if (leads_here == 1) {
    const SharedMemory memory(sharing, 4 * sizeof(CacheLine));
    MPI_Bcast(&partner, 1, MPI_INT, seats->back().rank, sharing.get());
    const bool works = sharing.rank() == seats->front().rank || sharing.rank() == seats->back().rank;
    if (works) figures = bounce_both(sharing, *seats, memory.block(seats->front().rank));
    wait_asleep(sharing.get());
  }
  MPI_Bcast(figures.data(), 2, MPI_DOUBLE, leader, world.get());
  MPI_Bcast(&partner, 1, MPI_INT, leader, world.get());
  schema::Limits found;
  found.line_bounce_ns = figures[0];
  found.two_flags_ns = figures[1];
  found.bounce_ranks = {leader, partner};
  return found;
}

}  // namespace groma
