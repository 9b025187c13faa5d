// What passing a cache line between two ranks takes without MPI.
#pragma once

#include <atomic>
#include <cstdint>

#include "groma/mpi/handles.hpp"
#include "groma/schema/machine.hpp"

namespace groma {

struct alignas(128) CacheLine {
  std::atomic<std::int64_t> value{0};
};

/// One way in ns, between two ranks that call it at the same time. The leader writes an odd number into `to` and waits
/// for the next even one in `from`; the other rank answers. `to` and `from` are the same line or two, and 0 at first.
/// Ends after `longest_ns` and at least two groups of trips. The shortest group counts: the others were interrupted. 0
/// on the other rank.
double bounce(CacheLine& to, CacheLine& from, bool leader, std::int64_t longest_ns);

/// One way of a cache line between two ranks that share memory, and of a pair of flags in two lines. The first host
/// measures that has two ranks on which different CPUs can work; they stay on these, and the other ranks wait asleep.
/// Null if no host has two such ranks: ranks that take turns on a CPU would measure the scheduler. Collective; the
/// first three members, on rank 0.
schema::Limits measure_bounce(const Comm& world, const Comm& sharing);

}  // namespace groma
