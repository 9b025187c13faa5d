#include "groma/stopping/interval.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace groma {
namespace {

TEST(Interval, RanksAreTheKnownOnes) {
  struct Known {
    std::int64_t n;
    std::int64_t low;
    std::int64_t high;
  };
  // From tables of the sign test.
  for (const auto& [n, low, high] :
       {Known{6, 1, 6}, {10, 2, 9}, {20, 6, 15}, {30, 10, 21}, {50, 18, 33}, {100, 40, 61}, {1000, 469, 532}}) {
    const auto ranks = median_ranks(n);
    ASSERT_TRUE(ranks) << n;
    EXPECT_EQ(ranks->low, low) << n;
    EXPECT_EQ(ranks->high, high) << n;
  }
  for (const std::int64_t n : {0, 1, 5}) EXPECT_FALSE(median_ranks(n)) << n;
}

TEST(Interval, MedianOfEvenAndOddCounts) {
  EXPECT_EQ(median_of({3, 1, 2}), 2);
  EXPECT_EQ(median_of({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median_of({}), 0);
}

TEST(Interval, CorrelationIsSeenAndOutliersDoNotHideIt) {
  std::vector<std::int64_t> drift(200);
  std::iota(drift.begin(), drift.end(), 1000);
  EXPECT_GT(rank_autocorrelation(drift), 0.95);
  drift[100] = 1'000'000'000;
  EXPECT_GT(rank_autocorrelation(drift), 0.9);
  std::vector<std::int64_t> alternating;
  for (int i = 0; i < 200; ++i) alternating.push_back(i % 2);
  EXPECT_LT(rank_autocorrelation(alternating), -0.95);
  EXPECT_EQ(rank_autocorrelation({5, 5, 5, 5}), 0);
}

TEST(Interval, UncorrelatedSamplesGiveTheOrderStatistics) {
  std::vector<std::int64_t> values;
  for (int i = 0; i < 50; ++i) values.push_back((i * 37) % 50 * 2 + 2);  // a permutation of 2, 4, ..., 100
  ASSERT_LT(std::abs(rank_autocorrelation(values)), 0.35);
  const auto interval = median_interval(values);
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->median, 51);
  EXPECT_LE(interval->low, 36);
  EXPECT_GE(interval->high, 66);
}

/// Share of 400 AR(1) series whose interval holds the true median.
double coverage(double rho) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0, 1000);
  constexpr int series = 400;
  int held = 0;
  for (int i = 0; i < series; ++i) {
    double state = noise(random) / std::sqrt(1 - rho * rho);
    std::vector<std::int64_t> values;
    for (int k = 0; k < 200; ++k) {
      values.push_back(100'000 + static_cast<std::int64_t>(state));
      state = rho * state + noise(random);
    }
    const auto interval = median_interval(values);
    if (interval && interval->low <= 100'000 && 100'000 <= interval->high) ++held;
  }
  return static_cast<double>(held) / series;
}

TEST(Interval, HoldsTheTrueMedianOfCorrelatedSeries) {
  EXPECT_GT(coverage(0.0), 0.92);
  EXPECT_GT(coverage(0.6), 0.92);
}

TEST(Interval, FewValuesHaveTheirRangeInItsPlace) {
  const MedianInterval few = median_interval_or_range({30, 10, 20});
  EXPECT_EQ(few.median, 20);
  EXPECT_EQ(few.low, 10);
  EXPECT_EQ(few.high, 30);
  const std::vector<std::int64_t> many{1, 3, 2, 3, 1, 2, 3, 1, 2, 2, 3, 1, 2, 3, 1};
  EXPECT_EQ(median_interval_or_range(many).low, median_interval(many)->low);
}

TEST(Interval, AGapIsAShareOfTheFirstMedian) {
  const MedianInterval first{100, 90, 110};
  EXPECT_EQ(gap_between(first, {120, 105, 130}), 0);
  EXPECT_DOUBLE_EQ(gap_between(first, {130, 120, 140}), 0.1);
  EXPECT_DOUBLE_EQ(gap_between(first, {50, 40, 60}), 0.3);
}

}  // namespace
}  // namespace groma
