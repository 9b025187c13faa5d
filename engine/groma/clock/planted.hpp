// Clocks that are wrong by a known amount, for engines that run on a simulated network and for no others.
#pragma once

#include <array>

#include "groma/clock/global.hpp"
#include "groma/clock/readings.hpp"
#include "groma/mpi/handles.hpp"

namespace groma {

/// Sets this rank's clocks off as the variable GROMA_PLANTED_CLOCKS asks: `OFFSET_NS/DRIFT_PPM` for each rank,
/// separated by commas. Ranks beyond the list, and all without the variable, keep the true time.
void plant_clocks(std::array<ClockFacts, clock_count>& clocks, int rank);

/// The true error of global times, which only a simulation knows: there, all clocks derive from one counter.
struct PlantedError {
  double worst_ns = 0;   ///< farthest from zero of all ranks: global time less rank 0's
  double excess_ns = 0;  ///< by how much an error exceeds its rank's bound; negative where all are within
};

/// Collective over `world`.
PlantedError planted_error(const ClockFacts& clock, const GlobalClock& global, const Comm& world);

}  // namespace groma
