#include "groma/stopping/settle.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "groma/stopping/interval.hpp"

namespace groma {

std::int64_t calls_to_see(const Point& point, const Traffic& traffic) {
  constexpr std::int64_t behind = longest_slow_start / 5;  // calls that show where the slow ones ended
  constexpr std::int64_t most_bytes = 64LL * 1024 * 1024;
  constexpr std::int64_t fewest = 50;
  const std::int64_t sends = std::max<std::int64_t>(1, traffic.messages / std::max(1, traffic.ranks));
  std::int64_t calls =
      std::min((longest_slow_start + behind) / sends, most_bytes / std::max<std::int64_t>(1, traffic.bytes));
  if (point.cache != method::Cache::warm) calls = fewest;  // preparing it costs milliseconds a call
  return std::max(calls, fewest);
}

bool leaves_out_start(const Point& point) { return point.stop == method::Stop::ci || point.stop == method::Stop::time; }

bool settles(const Point& point) { return point.settle_s > 0 && leaves_out_start(point); }

std::vector<std::int64_t> Settling::steady() const {
  return {calls_ns.begin() + static_cast<std::ptrdiff_t>(found.from), calls_ns.end()};
}

double spread_of(std::vector<std::int64_t> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto low = static_cast<double>(values[values.size() / 4]);
  const auto high = static_cast<double>(values[3 * values.size() / 4]);
  return high > 0 ? (high - low) / (high + low) : 0;
}

double Phases::inflation(std::int64_t block) const {
  return static_cast<double>(calls) / static_cast<double>(independent * block);
}

Phases Settling::phases(std::int64_t block) const {
  return {.calls = calls_over_phases(), .spread = spread_over_phases(block)};
}

std::int64_t Settling::calls_over_phases() const {
  const std::vector<std::int64_t> calls = steady();
  if (spread_of(calls) <= same_level) return 1;
  const double inflation = inflation_at_any_length(calls);
  return std::max<std::int64_t>(1, std::min(static_cast<std::int64_t>(Phases::independent * inflation), made / 2));
}

double Settling::spread_over_phases(std::int64_t block) const {
  constexpr double deviations = 4;  // calls are judged again and again until they seem steady
  const std::vector<std::int64_t> calls = steady();
  if (!open_by_phases(calls, deviations)) return 0;
  const auto length = static_cast<std::size_t>(block);
  std::vector<std::int64_t> blocks;
  for (std::size_t end = length; end <= calls.size(); end += length) {
    blocks.push_back(std::accumulate(calls.begin() + static_cast<std::ptrdiff_t>(end - length),
                                     calls.begin() + static_cast<std::ptrdiff_t>(end), std::int64_t{0}));
  }
  return blocks.size() < fewest_judged ? 0 : spread_of(std::move(blocks));
}

double mean_of(const std::vector<std::int64_t>& values) {
  double mean = 0;
  for (const std::int64_t value : values) mean += static_cast<double>(value) / static_cast<double>(values.size());
  return mean;
}

double slow_share(const std::vector<std::int64_t>& values) {
  if (values.empty()) return 0;
  const double limit = 2 * median_of(values);
  const auto slow =
      std::count_if(values.begin(), values.end(), [&](auto value) { return static_cast<double>(value) > limit; });
  return static_cast<double>(slow) / static_cast<double>(values.size());
}

std::int64_t calls_for_mean(std::vector<std::int64_t> calls_ns) {
  constexpr std::size_t fewest = 100;  // below, a quantile of 99 % is the maximum
  constexpr double apart = 0.01;
  if (calls_ns.size() < fewest) return 1;
  const auto top = calls_ns.begin() + static_cast<std::ptrdiff_t>(calls_ns.size() * 99 / 100);
  std::nth_element(calls_ns.begin(), top, calls_ns.end());
  const std::int64_t most = *top;
  for (std::int64_t& call : calls_ns) call = std::min(call, most);
  const double mean = mean_of(calls_ns);
  double squares = 0;
  double cubes = 0;
  for (const std::int64_t call : calls_ns) {
    const double off = static_cast<double>(call) - mean;
    squares += off * off / static_cast<double>(calls_ns.size());
    cubes += off * off * off / static_cast<double>(calls_ns.size());
  }
  if (squares <= 0 || cubes <= 0 || mean <= 0) return 1;
  // Mean less median of a mean over k: skewness * deviation / 6 = cubes / (6 * squares * k).
  return static_cast<std::int64_t>(std::ceil(cubes / (6 * squares) / (apart * mean)));
}

}  // namespace groma
