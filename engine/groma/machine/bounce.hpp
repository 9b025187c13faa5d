// What passing a cache line between two ranks takes without MPI.
#pragma once

#include "groma/mpi/handles.hpp"
#include "groma/schema/machine.hpp"

namespace groma {

/// One way of a cache line between two ranks of a node, and of a pair of flags in two lines. The first node measures
/// that has two ranks on which different CPUs can work; they stay on these, and the other ranks wait asleep. Null where
/// no node has two such ranks: ranks that take turns on a CPU would measure the scheduler. Collective; the first three
/// members, on rank 0.
schema::Limits measure_bounce(const Comm& world, const Comm& node);

}  // namespace groma
