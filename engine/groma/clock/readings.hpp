// What is known of each clock on this rank: whether it can be used, how fine it is, what reading it costs.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>

#include "groma/clock/clocks.hpp"

namespace groma {

inline constexpr std::size_t clock_count = std::tuple_size_v<Clocks>;

struct ClockFacts {
  std::string_view name;
  std::int64_t (*now)() noexcept = nullptr;
  double ns_per_tick = 1.0;
  std::int64_t base_ticks = 0;  ///< subtracted before scaling, so that no precision is lost
  double resolution_ns = 0;     ///< unit in which it advances
  double read_ns = 0;           ///< cost of one reading
  std::string refused;          ///< why it can't be used here; empty: it can

  [[nodiscard]] std::int64_t to_ns(std::int64_t ticks) const {
    return ns_per_tick == 1.0 ? ticks - base_ticks
                              : static_cast<std::int64_t>(static_cast<double>(ticks - base_ticks) * ns_per_tick);
  }
};

/// Calibrates every clock on this rank; takes about 30 ms.
std::array<ClockFacts, clock_count> examine_clocks();

}  // namespace groma
