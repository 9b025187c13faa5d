#include "groma/clock/line.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace groma {
namespace {

struct Corner {
  double x;
  double y;
};

/// Of points in the order of x, those that a line from above can touch.
std::vector<Corner> upper_hull(const std::vector<Corner>& points) {
  std::vector<Corner> hull;
  for (const Corner& next : points) {
    while (hull.size() > 1) {
      const Corner& first = hull[hull.size() - 2];
      const Corner& middle = hull.back();
      if ((middle.y - first.y) * (next.x - first.x) > (next.y - first.y) * (middle.x - first.x)) break;
      hull.pop_back();
    }
    hull.push_back(next);
  }
  return hull;
}

/// The lines y = slope * x + intercept that pass through every envelope, x relative to an epoch: for a slope, the
/// intercepts lie between `lowest` (convex in the slope) and `highest` (concave).
class Corridor {
 public:
  Corridor(const std::vector<Envelope>& envelopes, std::int64_t epoch_ns) {
    const auto x = [&](std::int64_t at_ns) { return static_cast<double>(at_ns - epoch_ns); };
    std::vector<Corner> lows;
    std::vector<Corner> highs;  // upside down
    for (const Envelope& one : envelopes) {
      lows.push_back({x(one.low_at_ns), one.low_ns});
      highs.push_back({x(one.high_at_ns), -one.high_ns});
    }
    const auto earlier = [](const Corner& one, const Corner& other) { return one.x < other.x; };
    std::ranges::stable_sort(lows, earlier);
    std::ranges::stable_sort(highs, earlier);
    lows_ = upper_hull(lows);
    highs_ = upper_hull(highs);
  }

  [[nodiscard]] double lowest(double slope) const {
    double least = -std::numeric_limits<double>::infinity();
    for (const Corner& low : lows_) least = std::max(least, low.y - slope * low.x);
    return least;
  }
  [[nodiscard]] double highest(double slope) const {
    double most = std::numeric_limits<double>::infinity();
    for (const Corner& high : highs_) most = std::min(most, -high.y - slope * high.x);
    return most;
  }
  /// By how much the highest line of a slope is above the lowest; negative where none passes.
  [[nodiscard]] double gap(double slope) const { return highest(slope) - lowest(slope); }

 private:
  std::vector<Corner> lows_;
  std::vector<Corner> highs_;
};

constexpr double steepest = 1e-2;  // no clock drifts by a hundredth

/// Where a concave function is largest between two ends.
template <class Function>
double argmax(double from, double to, Function value) {
  for (int i = 0; i < 200; ++i) {
    const double left = from + (to - from) / 3;
    const double right = to - (to - from) / 3;
    if (value(left) < value(right)) {
      from = left;
    } else {
      to = right;
    }
  }
  return (from + to) / 2;
}

/// The slope at which lines have most room.
double roomiest_slope(const Corridor& corridor) {
  return argmax(-steepest, steepest, [&](double slope) { return corridor.gap(slope); });
}

/// The end of the feasible slopes on the side of `infeasible`, by bisection.
double feasible_end(const Corridor& corridor, double feasible, double infeasible) {
  for (int i = 0; i < 200; ++i) {
    const double middle = (feasible + infeasible) / 2;
    (corridor.gap(middle) >= 0 ? feasible : infeasible) = middle;
  }
  return feasible;
}

/// The distance of the farther edge from the line, each at its own time.
double far_edge_ns(const ClockLine& line, const Envelope& one) {
  return std::max(one.high_ns + line.correction_ns(one.high_at_ns), -line.correction_ns(one.low_at_ns) - one.low_ns);
}

/// Where the clocks did not run evenly: the farthest edge of any envelope, growing as fast beyond them as it may have
/// grown between them.
double bent_bound_ns(const ClockLine& line, const std::vector<Envelope>& envelopes, std::int64_t at_ns) {
  double farthest = 0;
  for (const Envelope& one : envelopes) farthest = std::max(farthest, far_edge_ns(line, one));
  const auto span =
      static_cast<double>(std::max<std::int64_t>(1, envelopes.back().at_ns() - envelopes.front().at_ns()));
  const auto beyond = static_cast<double>(std::max<std::int64_t>(0, at_ns - envelopes.back().at_ns()));
  return farthest * (1 + 2 * beyond / span);
}

/// As fit_line says.
std::vector<double> weights_of(const std::vector<Envelope>& envelopes) {
  constexpr double bend_ns = 0.5;   // after a second, for a drift that changes by 1e-9 in that time
  constexpr double reading_ns = 1;  // no reading is better than the nanosecond it is given in
  std::vector<double> doubts_ns;    // half of what an envelope is wider than the narrowest
  std::int64_t newest_ns = envelopes.front().at_ns();
  for (const Envelope& one : envelopes) {
    doubts_ns.push_back((one.high_ns - one.low_ns) / 2);
    newest_ns = std::max(newest_ns, one.at_ns());
  }
  const double least_ns = *std::ranges::min_element(doubts_ns);
  for (double& doubt_ns : doubts_ns) doubt_ns -= least_ns;
  std::vector<double> ordered = doubts_ns;
  const auto quarter = ordered.begin() + static_cast<std::ptrdiff_t>(ordered.size() / 4);
  std::ranges::nth_element(ordered, quarter);
  const double usual_ns = reading_ns + *quarter;
  std::vector<double> weights;
  for (std::size_t i = 0; i < envelopes.size(); ++i) {
    const double age_s = 1e-9 * static_cast<double>(newest_ns - envelopes[i].at_ns());
    const double slow = doubts_ns[i] / usual_ns;
    const double old = bend_ns * age_s * age_s / usual_ns;
    weights.push_back(1 / std::pow(1 + slow * slow + old * old, 2));
  }
  return weights;
}

}  // namespace

Envelope envelope_of(const std::vector<RoundTrip>& trips) {
  constexpr std::int64_t near_ns = 1'000'000;
  const auto middle = [](const RoundTrip& trip) { return trip.before_ns + (trip.after_ns - trip.before_ns) / 2; };
  const RoundTrip* fastest = &trips.front();
  for (const RoundTrip& trip : trips) {
    if (trip.after_ns - trip.before_ns < fastest->after_ns - fastest->before_ns) fastest = &trip;
  }
  Envelope envelope{.low_ns = -std::numeric_limits<double>::infinity(),
                    .high_ns = std::numeric_limits<double>::infinity()};
  for (const RoundTrip& trip : trips) {
    if (std::abs(middle(trip) - middle(*fastest)) > near_ns) continue;
    const auto low = static_cast<double>(trip.other_ns - trip.after_ns);
    const auto high = static_cast<double>(trip.other_ns - trip.before_ns);
    if (low > envelope.low_ns) {
      envelope.low_ns = low;
      envelope.low_at_ns = trip.after_ns;
    }
    if (high < envelope.high_ns) {
      envelope.high_ns = high;
      envelope.high_at_ns = trip.before_ns;
    }
  }
  return envelope;
}

std::int64_t ClockLine::to_global(std::int64_t local_ns) const {
  return local_ns - std::llround(correction_ns(local_ns));
}

std::int64_t ClockLine::to_local(std::int64_t global_ns) const {
  return epoch_ns + std::llround((static_cast<double>(global_ns - epoch_ns) + offset_ns) / (1 - slope));
}

ClockLine composed(const ClockLine& inner, const ClockLine& outer) {
  const double at_epoch = static_cast<double>(inner.epoch_ns - outer.epoch_ns) - inner.offset_ns;
  return {.slope = inner.slope + outer.slope * (1 - inner.slope),
          .offset_ns = inner.offset_ns + outer.slope * at_epoch + outer.offset_ns,
          .epoch_ns = inner.epoch_ns};
}

ClockLine fit_line(const std::vector<Envelope>& envelopes) {
  ClockLine line;
  if (envelopes.empty()) return line;
  line.epoch_ns = envelopes[envelopes.size() / 2].at_ns();
  const std::vector<double> weights = weights_of(envelopes);
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  double mean_x = 0;
  double mean_y = 0;
  for (std::size_t i = 0; i < envelopes.size(); ++i) {
    mean_x += static_cast<double>(envelopes[i].at_ns() - line.epoch_ns) * (weights[i] / total);
    mean_y += envelopes[i].middle_ns() * (weights[i] / total);
  }
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < envelopes.size(); ++i) {
    const double x = static_cast<double>(envelopes[i].at_ns() - line.epoch_ns) - mean_x;
    products += x * (envelopes[i].middle_ns() - mean_y) * weights[i];
    squares += x * x * weights[i];
  }
  // `correction` is what is taken away from local time: minus the offset of the other clock.
  line.slope = squares > 0 ? -products / squares : 0;
  line.offset_ns = -(mean_y + line.slope * mean_x);
  return line;
}

bool on_one_line(const std::vector<Envelope>& envelopes) {
  if (envelopes.size() < 2) return true;
  const Corridor corridor(envelopes, envelopes.back().at_ns());
  return corridor.gap(roomiest_slope(corridor)) >= 0;
}

double line_bound_ns(const ClockLine& line, const std::vector<Envelope>& envelopes, std::int64_t at_ns) {
  if (envelopes.empty()) return std::numeric_limits<double>::infinity();
  const double fitted = -line.correction_ns(at_ns);
  const Corridor corridor(envelopes, line.epoch_ns);
  const double target = static_cast<double>(at_ns - line.epoch_ns);
  const double widest = roomiest_slope(corridor);
  if (corridor.gap(widest) < 0) return bent_bound_ns(line, envelopes, at_ns);
  const double least_slope = feasible_end(corridor, widest, -steepest);
  const double most_slope = feasible_end(corridor, widest, steepest);
  const auto top = [&](double slope) { return slope * target + corridor.highest(slope); };
  const auto bottom = [&](double slope) { return -(slope * target + corridor.lowest(slope)); };
  const double highest = top(argmax(least_slope, most_slope, top));
  const double lowest = -bottom(argmax(least_slope, most_slope, bottom));
  return std::max(highest - fitted, fitted - lowest);
}

}  // namespace groma
