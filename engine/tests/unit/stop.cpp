#include "groma/stopping/stop.hpp"

#include <gtest/gtest.h>

#include "groma/operations/rooted.hpp"
#include "groma/plan/fields.hpp"

namespace groma {
namespace {

Point point_with(method::Stop stop) {
  Point point = default_point(Bcast::info);
  point.stop = stop;
  return point;
}

std::vector<std::int64_t> steady(std::size_t n) {
  std::vector<std::int64_t> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = 1000 + static_cast<std::int64_t>(i * 7 % 5);
  return values;
}

std::vector<std::int64_t> wide(std::size_t n) {
  std::vector<std::int64_t> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = 1000 + static_cast<std::int64_t>(i * 7919 % 1013);
  return values;
}

TEST(Stop, FixedCountsAreExact) {
  const Point point = point_with(method::Stop::reps);
  EXPECT_EQ(enough(point, steady(99), 0, 1e6), Stopped::no);
  EXPECT_EQ(enough(point, steady(100), 0, 0), Stopped::repetitions);
  EXPECT_EQ(next_batch(point, 0, 0, 0), 100);
  EXPECT_EQ(next_batch(point, 90, 0, 0), 10);
}

TEST(Stop, PrecisionNeedsEnoughSamplesAndANarrowInterval) {
  const Point point = point_with(method::Stop::ci);
  EXPECT_EQ(enough(point, steady(49), 0, 0.1), Stopped::no);
  EXPECT_EQ(enough(point, steady(50), 0, 0.1), Stopped::precision);
  EXPECT_EQ(enough(point, wide(50), 0, 0.1), Stopped::no);
  EXPECT_EQ(enough(point, wide(50), 0, 0.6), Stopped::slot);
  EXPECT_EQ(enough(point, wide(5000), 0, 0.1), Stopped::repetitions);
}

TEST(Stop, TimeIgnoresPrecision) {
  const Point point = point_with(method::Stop::time);
  EXPECT_EQ(enough(point, steady(500), 0, 0.4), Stopped::no);
  EXPECT_EQ(enough(point, steady(10), 0, 0.5), Stopped::slot);
}

TEST(Stop, TheStandardErrorOfSkampi) {
  Point point = point_with(method::Stop::rse);
  EXPECT_EQ(enough(point, steady(50), 0, 0.1), Stopped::precision);
  point.rse_limit = 1e-6;
  EXPECT_EQ(enough(point, steady(50), 0, 0.1), Stopped::no);
}

TEST(Stop, RetriesAreBounded) {
  const Point point = point_with(method::Stop::reps);
  EXPECT_EQ(enough(point, steady(10), 1000, 0.1), Stopped::no);
  EXPECT_EQ(enough(point, steady(10), 1101, 0.1), Stopped::retries);
}

TEST(Stop, BatchesFitTheSlotAndAlwaysMakeProgress) {
  const Point point = point_with(method::Stop::ci);
  EXPECT_EQ(next_batch(point, 0, 0, 1e-6), 50);
  EXPECT_EQ(next_batch(point, 0, 0, 0.1), 5);
  EXPECT_EQ(next_batch(point, 0, 0, 10), 1);
  EXPECT_EQ(next_batch(point, 100, 0.1, 1e-6), 50);
  EXPECT_EQ(next_batch(point, 4990, 0.1, 1e-6), 10);
  EXPECT_EQ(next_batch(point, 4000, 0.1, 1e-9), 1000);
  EXPECT_EQ(next_batch(point_with(method::Stop::rse), 100, 0.1, 1e-6), point.min_repetitions);
}

}  // namespace
}  // namespace groma
