#include "groma/stopping/interval.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace groma {
std::vector<double> mean_ranks(const std::vector<std::int64_t>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    const double shared = static_cast<double>(i + end + 1) / 2;
    for (; i < end; ++i) ranks[order[i]] = shared;
  }
  return ranks;
}

std::optional<RankPair> median_ranks(std::int64_t n) {
  constexpr double tail = 0.025;
  const auto size = static_cast<double>(n);
  std::int64_t low = 0;
  double cumulative = 0;
  // Adds P(Bin = k) for k = 0, 1, ...; `low` is the largest l for which the sum over k < l stays within the tail.
  for (std::int64_t k = 0; k < n; ++k) {
    const auto count = static_cast<double>(k);
    cumulative +=
        std::exp(std::lgamma(size + 1) - std::lgamma(count + 1) - std::lgamma(size - count + 1) - size * std::log(2.0));
    if (cumulative > tail) break;
    low = k + 1;
  }
  if (low == 0) return std::nullopt;
  return RankPair{low, n + 1 - low};
}

double rank_autocorrelation(const std::vector<std::int64_t>& values) {
  if (values.size() < 3) return 0;
  const std::vector<double> ranks = mean_ranks(values);
  const double mean = static_cast<double>(values.size() + 1) / 2;
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    squares += (ranks[i] - mean) * (ranks[i] - mean);
    if (i > 0) products += (ranks[i] - mean) * (ranks[i - 1] - mean);
  }
  return squares == 0 ? 0 : products / squares;
}

double median_of(std::vector<std::int64_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return static_cast<double>(*middle);
  const std::int64_t below = *std::max_element(values.begin(), middle);
  return (static_cast<double>(below) + static_cast<double>(*middle)) / 2;
}

namespace {

/// 1 if a value is below the median of all, 0 if it is above.
std::vector<double> below_median(const std::vector<std::int64_t>& values) {
  const double median = median_of(values);
  std::vector<double> below;
  for (const std::int64_t value : values) {
    const auto at = static_cast<double>(value);
    below.push_back(at < median ? 1 : at > median ? 0 : 0.5);
  }
  return below;
}

/// n times the variance of the mean of `shares` over their variance, from `batches` stretches of equal length.
double batch_inflation(const std::vector<double>& shares, std::size_t batches, double student) {
  const std::size_t width = shares.size() / batches;
  const std::size_t first = shares.size() - width * batches;
  std::vector<double> means(batches, 0);
  for (std::size_t i = first; i < shares.size(); ++i) means[(i - first) / width] += shares[i];
  double mean = 0;
  double variance = 0;
  for (double& value : means) {
    value /= static_cast<double>(width);
    mean += value / static_cast<double>(batches);
  }
  for (const double value : means) {
    variance += (value - mean) * (value - mean) * static_cast<double>(width) / static_cast<double>(batches - 1);
  }
  constexpr double of_half_and_half = 0.25;
  constexpr double normal = 1.96;
  return variance / of_half_and_half * student * student / (normal * normal);
}

}  // namespace

double variance_inflation(const std::vector<std::int64_t>& values) {
  // Negative correlation, which would narrow the interval, counts as zero.
  const double rho = std::clamp(rank_autocorrelation(values), 0.0, 0.999);
  const double of_neighbours = (1 + rho) / (1 - rho);
  constexpr std::size_t batches = 16;
  constexpr double student = 2.131;  // 97.5 % quantile for 15 degrees of freedom
  if (values.size() < 3 * batches) return of_neighbours;
  return std::max({1.0, of_neighbours, batch_inflation(below_median(values), batches, student)});
}

double inflation_at_any_length(const std::vector<std::int64_t>& values) {
  constexpr double normal = 1.96;
  double largest = variance_inflation(values);
  const std::vector<double> below = below_median(values);
  for (std::size_t batches = 32; 3 * batches <= values.size() && batches <= 256; batches *= 2) {
    largest = std::max(largest, batch_inflation(below, batches, normal));
  }
  return largest;
}

std::optional<MedianInterval> median_interval(const std::vector<std::int64_t>& values) {
  const auto n = static_cast<std::int64_t>(values.size());
  const auto ranks = median_ranks(n);
  if (!ranks) return std::nullopt;
  const double middle = static_cast<double>(n + 1) / 2;
  const double reach = (middle - static_cast<double>(ranks->low)) * std::sqrt(variance_inflation(values));
  const auto low = static_cast<std::int64_t>(std::floor(middle - reach));
  if (low < 1) return std::nullopt;
  std::vector<std::int64_t> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  return MedianInterval{median_of(values), static_cast<double>(sorted[static_cast<std::size_t>(low - 1)]),
                        static_cast<double>(sorted[static_cast<std::size_t>(n - low)])};
}

MedianInterval median_interval_or_range(const std::vector<std::int64_t>& values) {
  if (const auto interval = median_interval(values)) return *interval;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return {median_of(values), static_cast<double>(*low), static_cast<double>(*high)};
}

double gap_between(const MedianInterval& first, const MedianInterval& second) {
  return std::max({0.0, second.low - first.high, first.low - second.high}) / first.median;
}

}  // namespace groma
