// What no single path shows: offsets measured by pings around three leaders add up to zero, unless paths differ each
// way (docs/adr/0014-clocks-doubt.md).
#pragma once

#include <array>

#include "groma/clock/global.hpp"
#include "groma/clock/tree.hpp"
#include "groma/mpi/handles.hpp"

namespace groma {

/// The offsets around three leaders, added up: half of what the way around takes longer than the way back.
struct Cycle {
  std::array<int, 3> ranks{};
  double closure_ns = 0;  ///< median over passes
  double least_ns = 0;    ///< how far from zero it is at least, at 99 %; 0 where it may be zero
};

/// Closes a triangle over every leader but the first: with its parent in the tree, and a sibling or its grandparent.
/// The one that is farthest from zero for certain, the same on all leaders, ranks those of `leaders`. Messages grow as
/// those of the synchronisation. Collective over `leaders`, three or more; `now` is the global time.
Cycle widest_cycle(ClockSync method, const Comm& leaders, const LocalNow& now);

}  // namespace groma
