// What the same messages take over a plain TCP connection between two hosts, without MPI.
#pragma once

#include <vector>

#include "groma/machine/handoff.hpp"
#include "groma/mpi/handles.hpp"

namespace groma {

/// For every request and size the shortest round trip halved (`ns`) and the time per message where many follow each
/// other (`stream_ns`). A yardstick and no limit: other networks and protocols of the same hosts are faster. Sizes that
/// would take too long are left out, from the largest. A pair that can't connect within a second, or whose connection
/// stalls, has a note in place of rows. Collective; on rank 0 of `world`.
schema::Tcp measure_tcp(const Comm& world, const std::vector<HandoffRequest>& requests);

}  // namespace groma
