// Sets the starts of window and round-time synchronisation, and the arrivals that a point asks for (METHODS 3).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "groma/clock/global.hpp"
#include "groma/clock/readings.hpp"
#include "groma/mpi/handles.hpp"
#include "groma/plan/point.hpp"
#include "groma/sync/pace.hpp"

namespace groma {

class Pacer {
 public:
  /// `global` may be null for the methods that need no global clock.
  Pacer(const Point& point, const ClockFacts& clock, const GlobalClock* global, const Comm& control,
        std::uint64_t seed);

  /// Measures what the method needs before its first batch: the time of a broadcast, and for windows, by `pilot`, the
  /// wall times of some repetitions from preparation to the slowest rank's end, in ns. Collective.
  void prepare(const std::function<std::vector<std::int64_t>()>& pilot);

  /// The pace of the next `count` repetitions, of which none starts after `slot_ns` from now. Collective for windows.
  Pace next(std::int64_t count, double slot_ns);

  /// Marks the repetitions of the last batch that this rank ended after the next window had begun.
  void mark_overruns(const std::vector<std::int64_t>& end_ticks, std::int64_t count);

  /// Whether this rank's part in a repetition was invalid, for the last batch.
  [[nodiscard]] const std::vector<std::int64_t>& late() const { return late_; }

  /// Learns from the share of invalid repetitions of the last batch: above 5 %, windows and leads double.
  void learn(std::int64_t invalid, std::int64_t made);

  [[nodiscard]] std::int64_t window_ns() const { return window_ns_; }
  [[nodiscard]] std::int64_t lead_ns() const { return lead_ns_; }

 private:
  [[nodiscard]] bool windows() const { return point_.sync == "window"; }
  [[nodiscard]] bool paced() const { return windows() || point_.sync == "roundtime"; }
  void draw_delays(std::int64_t count);

  Point point_;
  const ClockFacts& clock_;
  const GlobalClock* global_;
  const Comm& control_;
  std::uint64_t random_;
  std::int64_t window_ns_ = 0;
  std::int64_t lead_ns_ = 0;
  std::vector<std::int64_t> begin_;
  std::vector<std::int64_t> delay_;
  std::vector<std::int64_t> late_;
};

/// How long this rank arrives after the agreed start, in ns. `random` is drawn from on every rank alike.
std::int64_t arrival_delay_ns(const Point& point, int rank, int ranks, std::uint64_t& random);

}  // namespace groma
