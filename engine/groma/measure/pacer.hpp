// Sets the starts of window and round-time synchronisation, and the arrivals that a point asks for.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
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

  /// How many of `count` repetitions end within `slot_ns`, at least one, as far as windows tell.
  [[nodiscard]] std::int64_t fitting(std::int64_t count, double slot_ns) const;

  /// The pace of the next `count` repetitions, of which none starts after `slot_ns` from now: for windows, those that
  /// fit. Collective for windows.
  Pace next(std::int64_t count, double slot_ns);

  /// Marks the repetitions of the last batch that this rank ended after the next window had begun.
  void mark_overruns(const std::vector<std::int64_t>& end_ticks, std::int64_t count);

  /// By how much this rank missed the start of each of the last batch's first `count` repetitions, or overran its
  /// window, in ns; 0 if it kept them.
  [[nodiscard]] std::vector<std::int64_t> late_ns(std::int64_t count) const;

  /// Learns from what the repetitions that were dropped, of `made`, missed their starts by, in ns: if they are more
  /// than 5 %, and more than one, windows and leads double at least, and grow by what most of them lacked.
  void learn(std::vector<std::int64_t> late_ns, std::int64_t made);

  /// True if starts are set at times, which a rank can miss.
  [[nodiscard]] bool paced() const { return windows() || point_.sync == method::Sync::roundtime; }
  /// True if a start would have to be announced so long before that measuring by it is not worth while.
  [[nodiscard]] bool too_long_ahead() const { return paced() && !windows() && lead_ns_ > longest_lead_ns; }
  /// Another way to start from the next batch on, with what was learned of announcements.
  void change(method::Sync sync);

  [[nodiscard]] std::int64_t window_ns() const { return windows() ? window_ns_ : 0; }
  [[nodiscard]] std::int64_t lead_ns() const { return paced() ? lead_ns_ : 0; }

 private:
  static constexpr std::int64_t longest_lead_ns = 10'000'000;

  [[nodiscard]] bool windows() const { return point_.sync == method::Sync::window; }
  /// The time before the first window of a batch in which its caches are prepared: that of the others is the window
  /// before, which holds it.
  [[nodiscard]] std::int64_t preparation_ns() const;
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
