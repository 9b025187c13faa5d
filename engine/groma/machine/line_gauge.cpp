#include "groma/machine/line_gauge.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <new>

#include "groma/machine/cpus.hpp"
#include "groma/machine/seats.hpp"
#include "groma/mpi/simulated.hpp"

namespace groma {
namespace {

/// True if two ranks of a node may run on no CPU of each other. Collective over the node.
bool are_bound_apart(const Comm& node, const std::array<Seat, 2>& seats) {
  std::vector<int> first = allowed_cpu_numbers();
  int count = static_cast<int>(first.size());
  MPI_Bcast(&count, 1, MPI_INT, seats[0].rank, node.get());
  first.resize(static_cast<std::size_t>(count));
  MPI_Bcast(first.data(), count, MPI_INT, seats[0].rank, node.get());
  const std::vector<int> own = allowed_cpu_numbers();
  int apart = std::find_first_of(own.begin(), own.end(), first.begin(), first.end()) == own.end() ? 1 : 0;
  MPI_Bcast(&apart, 1, MPI_INT, seats[1].rank, node.get());
  return apart == 1;
}

}  // namespace

LineGauge::LineGauge(const Comm& world, const Comm& sharing) : world_(world) {
  if constexpr (simulated) return;
  const auto seats = seats_of(sharing);
  int found = -1;
  if (seats && are_bound_apart(sharing, *seats)) {
    int second = world.rank();
    MPI_Bcast(&second, 1, MPI_INT, (*seats)[1].rank, sharing.get());
    if (sharing.rank() == (*seats)[0].rank) found = second;
  }
  MPI_Bcast(&found, 1, MPI_INT, 0, world.get());
  partner_ = found;
  if (partner_ < 0) return;
  memory_.emplace(sharing, 2 * sizeof(CacheLine));
  std::size_t space = 2 * sizeof(CacheLine);
  void* start = memory_->block(0);
  line_ = static_cast<CacheLine*>(std::align(alignof(CacheLine), sizeof(CacheLine), start, space));
  if (world.rank() == 0) new (line_) CacheLine;
}

std::optional<double> LineGauge::read(const std::vector<int>& members) {
  constexpr int tag = 9;
  constexpr std::int64_t longest_ns = 200'000;
  const bool leader = world_.rank() == 0;
  const auto takes_part = [&](int rank) { return std::find(members.begin(), members.end(), rank) != members.end(); };
  if (partner_ < 0 || (!leader && world_.rank() != partner_) || !takes_part(0) || !takes_part(partner_)) return {};
  // The partner clears the line: it alone knows that it has seen the end of the last reading.
  if (leader) {
    MPI_Recv(nullptr, 0, MPI_INT, partner_, tag, world_.get(), MPI_STATUS_IGNORE);
  } else {
    line_->value.store(0, std::memory_order_release);
    MPI_Send(nullptr, 0, MPI_INT, 0, tag, world_.get());
  }
  const double way_ns = bounce(*line_, *line_, leader, longest_ns);
  return leader ? std::optional(way_ns) : std::nullopt;
}

}  // namespace groma
