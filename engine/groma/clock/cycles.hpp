// Asymmetry that no single path shows: offsets measured by pings around three leaders add up to zero, unless the two
// directions of a path take different times (docs/adr/0014-clocks-doubt.md).
#pragma once

#include <array>

#include "groma/clock/global.hpp"
#include "groma/clock/tree.hpp"
#include "groma/mpi/handles.hpp"

namespace groma {

/// The sum of the offsets around three leaders: half of the difference between the way around and the way back.
struct Cycle {
  std::array<int, 3> ranks{};
  double closure_ns = 0;  ///< median over passes
  double least_ns = 0;    ///< how far from zero it is at least, at 99 %; 0 if it may be zero
};

/// Closes a triangle over every leader but the first: with its parent in the tree, and a sibling or its grandparent.
/// Returns the cycle whose sum is farthest from zero with certainty, the same on all leaders; its ranks are those of
/// `leaders`. Messages of a leader and the time grow as in the synchronisation, with log p under hca3. Collective over
/// `leaders`, three or more; `now` is the global time.
Cycle widest_cycle(ClockSync method, const Comm& leaders, const LocalNow& now);

}  // namespace groma
