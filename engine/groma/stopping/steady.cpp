#include "groma/stopping/steady.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

#include "groma/stopping/interval.hpp"
#include "groma/text/words.hpp"

namespace groma {

std::string_view state_name(State state) {
  static constexpr std::string_view names[] = {"unknown", "steady", "warmup", "slowdown", "unsteady"};
  static_assert(std::size(names) == static_cast<std::size_t>(State::unsteady) + 1);
  return name_in(names, state);
}

namespace {

using Values = std::span<const std::int64_t>;

// A series is judged by the medians of at most this many stretches of equal length: the exact partition costs their
// square.
constexpr std::size_t most_bins = 400;
constexpr std::size_t shortest_segment = 4;  // in bins
// A steady part is at least this share of the series (500 of 2000 iterations in Barrett et al.).
constexpr double least_share = 0.25;
// Segments of another level inside a steady part, such as one interruption, may make up this share of it.
constexpr double excursions = 0.1;

double middle(Values values) { return median_of({values.begin(), values.end()}); }

/// The series cut into stretches; what is left over by the division is at the front, in the first.
struct Bins {
  std::vector<std::size_t> from;
  std::vector<std::int64_t> medians;
};

Bins cut(Values values) {
  const std::size_t width = (values.size() + most_bins - 1) / most_bins;
  const std::size_t count = values.size() / width;
  Bins bins;
  for (std::size_t bin = 0; bin < count; ++bin) {
    const std::size_t end = values.size() - (count - 1 - bin) * width;
    bins.from.push_back(bin == 0 ? 0 : end - width);
    bins.medians.push_back(std::llround(middle(values.subspan(bins.from.back(), end - bins.from.back()))));
  }
  return bins;
}

/// Mean square of the differences at a lag, without the largest fifth: those are steps.
double usual_square(const std::vector<double>& series, std::size_t lag) {
  std::vector<double> squares;
  for (std::size_t i = lag; i < series.size(); ++i) {
    squares.push_back((series[i] - series[i - lag]) * (series[i] - series[i - lag]));
  }
  const std::size_t kept = squares.size() - squares.size() / 5;
  std::nth_element(squares.begin(), squares.begin() + static_cast<std::ptrdiff_t>(kept - 1), squares.end());
  return std::accumulate(squares.begin(), squares.begin() + static_cast<std::ptrdiff_t>(kept), 0.0) /
         static_cast<double>(kept);
}

/// Variance that sums of noise grow with, from differences of neighbours.
double long_run_variance(const std::vector<double>& series) {
  double squares = 0;
  for (std::size_t i = 1; i < series.size(); ++i) squares += (series[i] - series[i - 1]) * (series[i] - series[i - 1]);
  const double near = usual_square(series, 1);
  const double rho = near > 0 ? std::clamp(usual_square(series, 2) / near - 1, 0.0, 0.9) : 0.0;
  const double variance = squares / (2 * static_cast<double>(series.size() - 1)) / (1 - rho);
  return variance * (1 + rho) / (1 - rho);
}

/// The first bin of every segment of the optimal partition.
std::vector<std::size_t> partition(const std::vector<double>& ranks) {
  const std::size_t n = ranks.size();
  const double middle_rank = static_cast<double>(n + 1) / 2;
  const double noise = std::max(long_run_variance(ranks), 1e-9);
  const double penalty = 3 * std::log(static_cast<double>(n));
  std::vector<double> sums(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) sums[i + 1] = sums[i] + ranks[i] - middle_rank;
  std::vector<double> best(n + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> previous(n + 1, 0);
  best[0] = -penalty;
  for (std::size_t end = shortest_segment; end <= n; ++end) {
    for (std::size_t begin = 0; begin + shortest_segment <= end; ++begin) {
      const double sum = sums[end] - sums[begin];
      const double cost = best[begin] + penalty - sum * sum / static_cast<double>(end - begin) / noise;
      if (cost >= best[end]) continue;
      best[end] = cost;
      previous[end] = begin;
    }
  }
  std::vector<std::size_t> begins;
  for (std::size_t end = n; end > 0; end = previous[end]) begins.insert(begins.begin(), previous[end]);
  return begins;
}

bool same(double level, double other) { return std::abs(level - other) <= same_level * other; }

/// True if the series is at one level from this segment on.
bool settled_from(std::size_t first, const std::vector<Segment>& segments, Values values) {
  const Values rest = values.subspan(segments[first].from);
  const double level = middle(rest);
  if (!same(segments[first].median, level) || !same(segments.back().median, level)) return false;
  std::size_t elsewhere = 0;
  for (std::size_t k = first; k < segments.size(); ++k) {
    const std::size_t end = k + 1 < segments.size() ? segments[k + 1].from : values.size();
    if (!same(segments[k].median, level)) elsewhere += end - segments[k].from;
  }
  return static_cast<double>(elsewhere) <= excursions * static_cast<double>(rest.size());
}

/// True if the series was at the level of this segment, or near it, before and left it: such phases recur. A warm-up
/// only approaches its level.
bool returns(std::size_t first, const std::vector<Segment>& segments, Values values) {
  const double level = middle(values.subspan(segments[first].from));
  double nearest = std::numeric_limits<double>::infinity();
  std::size_t before = 0;
  std::size_t away = 0;
  for (std::size_t k = 0; k < first; ++k) {
    const std::size_t length = segments[k + 1].from - segments[k].from;
    const double distance = std::abs(segments[k].median - level);
    if (same(segments[k].median, level)) before += length;
    if (distance > 2 * nearest && !same(segments[k].median, level)) away += length;
    nearest = std::min(nearest, distance);
  }
  return static_cast<double>(std::max(before, away)) > excursions * static_cast<double>(values.size());
}

/// True if of the stretches before the steady part many were as fast as that and many slower: slow phases recur, and a
/// steady part that follows them may be a phase.
bool mixed_before(std::size_t from, const Bins& bins, Values values) {
  const double level = middle(values.subspan(from));
  const auto end = std::lower_bound(bins.from.begin(), bins.from.end(), from);
  const Values before(bins.medians.data(), static_cast<std::size_t>(end - bins.from.begin()));
  const auto above = [&](double limit) {
    return std::count_if(before.begin(), before.end(),
                         [=](auto median) { return static_cast<double>(median) > limit; });
  };
  const double many = excursions * static_cast<double>(before.size());
  const auto fast = static_cast<double>(before.size()) - static_cast<double>(above(level));
  return fast > many && static_cast<double>(above((1 + widest_of_phases) * level)) > many;
}

/// True if slow variation, seen too few times to average over, moves the median by more than a level is wide.
bool seen_too_seldom(Values values) {
  constexpr double fewest_independent = 10;
  const std::vector<std::int64_t> series(values.begin(), values.end());
  const double independent = static_cast<double>(series.size()) / variance_inflation(series);
  if (independent >= fewest_independent) return false;
  std::vector<std::int64_t> sorted = series;
  std::sort(sorted.begin(), sorted.end());
  const auto quarter = static_cast<double>(sorted[3 * sorted.size() / 4] - sorted[sorted.size() / 4]);
  return quarter > 2 * same_level * median_of(series);
}

}  // namespace

Steadiness judge(Values values) {
  Steadiness found;
  if (values.size() < fewest_judged) return found;
  const Bins bins = cut(values);
  const std::vector<std::size_t> begins = partition(mean_ranks(bins.medians));
  for (std::size_t k = 0; k < begins.size(); ++k) {
    const std::size_t from = bins.from[begins[k]];
    const std::size_t end = k + 1 < begins.size() ? bins.from[begins[k + 1]] : values.size();
    found.segments.push_back({from, middle(values.subspan(from, end - from))});
  }
  found.state = State::unsteady;
  const double needed = least_share * static_cast<double>(values.size());
  for (std::size_t first = 0; first < found.segments.size(); ++first) {
    const std::size_t from = found.segments[first].from;
    if (static_cast<double>(values.size() - from) < needed) break;
    if (!settled_from(first, found.segments, values)) continue;
    if (returns(first, found.segments, values) || mixed_before(from, bins, values)) break;
    if (seen_too_seldom(values.subspan(from))) break;
    found.from = from;
    const bool slower = from > 0 && middle(values.first(from)) > middle(values.subspan(from));
    found.state = from == 0 ? State::steady : slower ? State::warmup : State::slowdown;
    break;
  }
  return found;
}

bool open_by_phases(Values values, double deviations, double least_inflation) {
  constexpr double slow = 4;  // times the variance of independent values: what is below is noise
  const std::vector<std::int64_t> series(values.begin(), values.end());
  if (series.size() < fewest_judged) return false;
  const double inflation = std::max(least_inflation, inflation_at_any_length(series));
  if (inflation < slow) return false;
  const auto n = static_cast<double>(series.size());
  const double share = std::min(0.5, deviations * std::sqrt(0.25 * inflation / n));
  std::vector<std::int64_t> sorted = series;
  std::sort(sorted.begin(), sorted.end());
  const auto at = [&](double place) { return static_cast<double>(sorted[static_cast<std::size_t>(place * (n - 1))]); };
  return at(0.5 + share) - at(0.5 - share) > 2 * widest_of_phases * median_of(series);
}

}  // namespace groma
