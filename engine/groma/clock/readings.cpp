#include "groma/clock/readings.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "groma/cpuid.hpp"
#include "groma/mpi/simulated.hpp"

namespace groma {
namespace {

/// Why the cycle counter can't serve as a clock here; empty when it can.
std::string tsc_refusal() {
  if constexpr (simulated) return "the cycle counter of this machine knows nothing of simulated time";
#if defined(__x86_64__)
  constexpr unsigned invariant_bit = 1U << 8;
  if ((cpuid(0x80000007).d & invariant_bit) == 0) return "the CPU does not say that its cycle counter is invariant";
  return "";
#else
  return "this processor has no cycle counter that Groma can read";
#endif
}

/// Nanoseconds per tick against CLOCK_MONOTONIC over 20 ms. Each end is the tightest of 20 bracketed readings.
double calibrate_tsc() {
  struct Pair {
    std::int64_t ticks;
    std::int64_t ns;
  };
  const auto bracket = [] {
    Pair best{};
    std::int64_t tightest = std::numeric_limits<std::int64_t>::max();
    for (int i = 0; i < 20; ++i) {
      const std::int64_t before = Monotonic::now();
      const std::int64_t ticks = Tsc::now();
      const std::int64_t after = Monotonic::now();
      if (after - before < tightest) {
        tightest = after - before;
        best = {ticks, before + (after - before) / 2};
      }
    }
    return best;
  };
  const Pair start = bracket();
  while (Monotonic::now() - start.ns < 20'000'000) {
  }
  const Pair end = bracket();
  return static_cast<double>(end.ns - start.ns) / static_cast<double>(end.ticks - start.ticks);
}

/// What one reading costs: the median over short blocks of readings whose values are not looked at.
template <class Clock>
double read_cost_ns() {
  constexpr int blocks = simulated ? 1 : 21;
  constexpr int reads_per_block = simulated ? 10 : 1000;
  std::vector<double> costs;
  for (int block = 0; block < blocks; ++block) {
    const std::int64_t start = Monotonic::now();
    for (int i = 0; i < reads_per_block; ++i) {
      const std::int64_t reading = Clock::now();
      asm volatile("" : : "r"(reading));
    }
    costs.push_back(static_cast<double>(Monotonic::now() - start) / reads_per_block);
  }
  std::nth_element(costs.begin(), costs.begin() + blocks / 2, costs.end());
  return costs[blocks / 2];
}

/// The unit in which readings advance: the greatest common divisor of their steps, because one reading takes longer.
template <class Clock>
std::int64_t unit_ticks() {
  constexpr int steps = simulated ? 10 : 10'000;
  std::int64_t unit = 0;
  std::int64_t last = Clock::now();
  for (int i = 0; i < steps && unit != 1; ++i) {
    const std::int64_t reading = Clock::now();
    unit = std::gcd(unit, reading - last);
    last = reading;
  }
  return unit;
}

template <class Clock>
ClockFacts examine() {
  ClockFacts clock{.name = Clock::name, .now = &Clock::now, .refused = {}};
  if constexpr (std::is_same_v<Clock, Tsc>) {
    clock.refused = tsc_refusal();
    if (!clock.refused.empty()) return clock;
    clock.ns_per_tick = calibrate_tsc();
    clock.base_ticks = Tsc::now();
  }
  clock.read_ns = read_cost_ns<Clock>();
  clock.resolution_ns = static_cast<double>(unit_ticks<Clock>()) * clock.ns_per_tick;
  return clock;
}

}  // namespace

std::array<ClockFacts, clock_count> examine_clocks() {
  return []<class... Each>(std::tuple<Each...>*) {
    return std::array<ClockFacts, clock_count>{examine<Each>()...};
  }(static_cast<Clocks*>(nullptr));
}

}  // namespace groma
