#include "groma/launch/memory.hpp"

#include <algorithm>
#include <cstdio>

#include "groma/buffers/cache.hpp"
#include "groma/buffers/share.hpp"
#include "groma/machine/files.hpp"
#include "groma/mpi/together.hpp"

namespace groma {
namespace {

std::string gib(std::int64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GiB", static_cast<double>(bytes) / (1024.0 * 1024 * 1024));
  return text;
}

Needs needs_of_point(const Configured& operation, const Point& asked, int ranks) {
  const Point point = own_share(asked, ranks);
  const Memory memory = operation.memory(extents_of(point, ranks));
  return arena_needs(point, needs_of(operation.info(), point, memory));
}

/// What a rank needs that loads.
Needs needs_of_load(const PlannedLoad& load) {
  if (!load.party || load.party->work.null()) return {};
  return needs_of_point(*load.operation, *load.point, load.party->work.size());
}

/// Regions with room for this point too.
void make_room(RegionNeeds& regions, const Point& point, const Needs& needs) {
  const auto of = [&](payload::MemoryKind kind) -> RegionBytes& { return regions[static_cast<std::size_t>(kind)]; };
  of(send_kind(point)).send = std::max(of(send_kind(point)).send, needs.send_bytes);
  of(receive_kind(point)).receive = std::max(of(receive_kind(point)).receive, needs.receive_bytes);
  of(payload::MemoryKind::host) = {};
}

}  // namespace

MemoryNeeds fitting_memory(const Agenda& agenda, const Ranks& ranks) {
  MemoryNeeds needs;
  std::size_t largest = 0;
  std::int64_t largest_bytes = 0, own_bytes = 0;
  for (std::size_t index = 0; index < agenda.size(); ++index) {
    const Needs of_load = needs_of_load(agenda.load(index));
    needs.mine = needs.mine.or_more(of_load);
    if (of_load.total() > largest_bytes) {
      largest = index;
      largest_bytes = of_load.total();
    }
    const Party& party = agenda.party(index);
    if (party.work.null()) continue;
    Needs one = needs_of_point(agenda.operation(index), agenda.point(index), party.work.size());
    if (one.total() > largest_bytes) {
      largest = index;
      largest_bytes = one.total();
    }
    if (agenda.point(index).allocation == payload::Allocation::mpi) {
      // Each has its own arrays while it is measured.
      const std::int64_t own = one.send_bytes + one.receive_bytes;
      own_bytes = agenda.plan().order == method::Order::interleaved ? own_bytes + own : std::max(own_bytes, own);
      one.send_bytes = one.receive_bytes = 0;
    }
    make_room(needs.regions, agenda.point(index), one);
    needs.mine = needs.mine.or_more(one);
  }
  const RegionBytes& pinned = needs.regions[static_cast<std::size_t>(payload::MemoryKind::pinned)];
  const std::int64_t mine = needs.mine.with_slack() + own_bytes + pinned.send + pinned.receive;
  MPI_Allreduce(&mine, &needs.node_bytes, 1, MPI_INT64_T, MPI_SUM, ranks.node.get());
  needs.available_bytes = available_memory_bytes();
  MPI_Bcast(&needs.available_bytes, 1, MPI_INT64_T, 0, ranks.node.get());
  together(ranks.world, [&] {
    constexpr double usable = 0.9;  // the MPI library and the system need some too
    if (static_cast<double>(needs.node_bytes) <= usable * static_cast<double>(needs.available_bytes)) return;
    throw InputError("the " + std::to_string(ranks.node.size()) + " ranks on the node of rank " +
                     std::to_string(ranks.world.rank()) + " need " + gib(needs.node_bytes) + " of memory (most for " +
                     agenda.text(largest) + ") and " + gib(needs.available_bytes) +
                     " are available; ask for smaller messages, a smaller window or fewer ranks per node");
  });
  return needs;
}

}  // namespace groma
