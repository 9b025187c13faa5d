#include "groma/stopping/settle.hpp"

#include <algorithm>
#include <cmath>

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

std::int64_t Settling::calls_over_phases() const {
  constexpr double independent = 10;
  std::vector<std::int64_t> calls = steady();
  const double inflation = inflation_at_any_length(calls);
  std::sort(calls.begin(), calls.end());
  if (calls.empty()) return 1;
  const auto half = static_cast<double>(calls[3 * calls.size() / 4] - calls[calls.size() / 4]);
  if (half <= 2 * same_level * median_of(calls)) return 1;
  return std::max<std::int64_t>(1, std::min(static_cast<std::int64_t>(independent * inflation), made / 2));
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
