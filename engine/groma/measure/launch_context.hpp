// What all points of a launch share.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "groma/buffers/arena.hpp"
#include "groma/clock/readings.hpp"
#include "groma/device/memory.hpp"
#include "groma/measure/samples.hpp"
#include "groma/timed/entry.hpp"
#include "groma/watchdog/watchdog.hpp"

namespace groma {

struct LaunchContext {
  const std::vector<Entry>& entries;
  const std::array<ClockFacts, clock_count>& clocks;
  const Arena& arena;
  const DeviceMemory& devices;
  Watchdog* watchdog = nullptr;
  std::int64_t seed = 1;
  std::size_t most_listed = unlimited;  ///< times of all ranks that a record lists at most
};

}  // namespace groma
