// From one clock to another: a line, how far it may be wrong, and how both follow from readings.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace groma {

/// global(t) = t - (slope * (t - epoch) + offset); local times and the result in nanoseconds. Kept relative to an
/// epoch, because a double can't tell Unix times less than 238 ns apart.
struct ClockLine {
  double slope = 0;
  double offset_ns = 0;
  std::int64_t epoch_ns = 0;

  [[nodiscard]] double correction_ns(std::int64_t local_ns) const {
    return slope * static_cast<double>(local_ns - epoch_ns) + offset_ns;
  }
  [[nodiscard]] std::int64_t to_global(std::int64_t local_ns) const;
  [[nodiscard]] std::int64_t to_local(std::int64_t global_ns) const;
};

/// `outer` after `inner`: from a clock to a second one, and from there to a third.
ClockLine composed(const ClockLine& inner, const ClockLine& outer);

/// The bounds that an exchange of pings gives for `offset(other) = clock_other - clock_me`. The other clock read b
/// between my readings a and c; since clocks only go forward, offset(c) >= b - c and offset(a) <= b - a. Each edge
/// holds at its own time, so that it stays true when clocks drift while the pings are held up.
struct Envelope {
  std::int64_t low_at_ns = 0;
  std::int64_t high_at_ns = 0;
  double low_ns = 0;
  double high_ns = 0;
  [[nodiscard]] std::int64_t at_ns() const { return low_at_ns + (high_at_ns - low_at_ns) / 2; }
  [[nodiscard]] double middle_ns() const { return (low_ns + high_ns) / 2; }
};

/// One round trip: my clock before, the other's in between, my clock after.
struct RoundTrip {
  std::int64_t before_ns = 0;
  std::int64_t other_ns = 0;
  std::int64_t after_ns = 0;
};

/// The tightest edges of the round trips within a millisecond of the fastest one: at 50 ppm, clocks move apart by no
/// more than 50 ns in that time.
Envelope envelope_of(const std::vector<RoundTrip>& trips);

/// The offset as a line over local time, by weighted least squares through the middles of the envelopes. The line maps
/// local time to the other clock: to_global(t) is what the other clock showed at t. One envelope gives a constant.
///
/// The fastest pings had no delay, and all of them have the same asymmetry. The error of a middle is up to half of the
/// difference between the widths of its envelope and of the narrowest one. Clocks keep their rate only for a limited
/// time: if a drift changes by 1e-9 a second, an offset measured t seconds ago has an error of t^2 / 2 ns now. A weight
/// is 1 / (1 + slow^2 + old^2)^2 (Geman and McClure's), with these two in units that a quarter of the former stay
/// below.
ClockLine fit_line(const std::vector<Envelope>& envelopes);

/// True if some line passes through every envelope, as it does while both clocks run evenly.
bool on_one_line(const std::vector<Envelope>& envelopes);

/// Largest distance, at `at_ns`, between `line` and any line that passes through every envelope and drifts by less than
/// a hundredth: one envelope says nothing else of drift. If no line passes (the clocks did not run evenly), the
/// largest distance of an envelope's far edge from the line.
double line_bound_ns(const ClockLine& line, const std::vector<Envelope>& envelopes, std::int64_t at_ns);

}  // namespace groma
