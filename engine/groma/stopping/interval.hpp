// The order-statistic interval of a median, corrected for autocorrelation. All that the engine's stop rule needs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace groma {

/// 1-based ranks (low, high) of the order statistics that enclose the median with at least 95 %: low is the largest l
/// with P(Bin(n, 1/2) < l) <= 0.025. Nothing below n = 6, where no such pair exists.
struct RankPair {
  std::int64_t low = 0;
  std::int64_t high = 0;
};
std::optional<RankPair> median_ranks(std::int64_t n);

/// Ranks from 1 to n, ties sharing their mean.
std::vector<double> mean_ranks(const std::vector<std::int64_t>& values);

/// Lag-1 autocorrelation of the ranks of the values: one stray sample can't hide a drift, as it can in the values'.
double rank_autocorrelation(const std::vector<std::int64_t>& values);

struct MedianInterval {
  double median = 0;
  double low = 0;
  double high = 0;
  [[nodiscard]] double half_width() const { return median == 0 ? 0 : (high - low) / 2 / median; }
};

double median_of(std::vector<std::int64_t> values);

/// How many times the variance of a median exceeds that of as many independent values, at least 1: the larger of
/// (1+rho)/(1-rho) and of what batches show (Heidelberger and Lewis 1984: of the share of values below the median, by
/// batch means; Student's factor for the few batches). One lag alone does not see phases that last hundreds of calls.
double variance_inflation(const std::vector<std::int64_t>& values);

/// The largest that batches of any length show: phases whose period divides a batch evenly are seen by shorter ones.
double inflation_at_any_length(const std::vector<std::int64_t>& values);

/// The 95 % interval of the median of values in time order, widened by `variance_inflation`; nothing if the values
/// are too few for it.
std::optional<MedianInterval> median_interval(const std::vector<std::int64_t>& values);

/// The same, or the range of values that are too few for an interval. Of one value at least.
MedianInterval median_interval_or_range(const std::vector<std::int64_t>& values);

/// By which share of the first's median two intervals are apart; 0 if they meet.
double gap_between(const MedianInterval& first, const MedianInterval& second);

}  // namespace groma
