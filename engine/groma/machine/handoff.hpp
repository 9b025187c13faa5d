// What it takes to hand a message from one core to another through shared memory, without MPI.
#pragma once

#include <array>
#include <vector>

#include "groma/mpi/handles.hpp"
#include "groma/schema/machine.hpp"

namespace groma {

/// Messages that two world ranks of one host hand to each other, in bytes.
struct HandoffRequest {
  std::array<int, 2> ranks{};
  std::vector<std::int64_t> sizes;
};

/// The largest message handed over here; larger ones are not shorter per byte.
inline constexpr std::int64_t largest_handoff_bytes = 16LL * 1024 * 1024;

/// For every request and size the shortest way found, as one way of a round trip (`ns`) and as time per message where
/// many are under way (`stream_ns`). A loop of stores, loads and copies does what a library's would: one copy by the
/// receiver, a copy of which each rank makes half, or two copies through a ring of chunks. The sender has changed every
/// cache line of a message before it is timed, so that all of it comes from the sender's core (ADR 17); throws
/// OutputError if other bytes came over. Each of the two ranks stays on a CPU of its own; requests of ranks that
/// share one CPU give no rows. The other ranks wait asleep. Collective; on rank 0 of `world`.
std::vector<schema::Handoff> measure_handoff(const Comm& world, const std::vector<HandoffRequest>& requests);

}  // namespace groma
