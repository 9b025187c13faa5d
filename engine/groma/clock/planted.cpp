#include "groma/clock/planted.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "groma/text/words.hpp"

namespace groma {

void plant_clocks(std::array<ClockFacts, clock_count>& clocks, int rank) {
  const char* asked = std::getenv("GROMA_PLANTED_CLOCKS");
  if (asked == nullptr) return;
  const auto plants = split(asked, ',');
  if (static_cast<std::size_t>(rank) >= plants.size()) return;
  const auto numbers = split(plants[static_cast<std::size_t>(rank)], '/');
  const double offset_ns = std::stod(std::string(numbers.at(0)));
  const double drift_ppm = std::stod(std::string(numbers.at(1)));
  for (ClockFacts& clock : clocks) {
    clock.base_ticks = -std::llround(offset_ns);
    clock.ns_per_tick = 1 + 1e-6 * drift_ppm;
  }
}

PlantedError planted_error(const ClockFacts& clock, const GlobalClock& global, const Comm& world) {
  ClockFacts first = clock;
  MPI_Bcast(&first.ns_per_tick, 1, MPI_DOUBLE, 0, world.get());
  MPI_Bcast(&first.base_ticks, 1, MPI_INT64_T, 0, world.get());
  const std::int64_t ticks = clock.now();
  const std::int64_t local_ns = clock.to_ns(ticks);
  const auto error_ns = static_cast<double>(global.to_global(local_ns) - first.to_ns(ticks));
  double worst[3] = {error_ns, -error_ns, std::abs(error_ns) - global.bound_ns(local_ns)};
  MPI_Allreduce(MPI_IN_PLACE, worst, 3, MPI_DOUBLE, MPI_MAX, world.get());
  return {.worst_ns = worst[0] >= worst[1] ? worst[0] : -worst[1], .excess_ns = worst[2]};
}

}  // namespace groma
