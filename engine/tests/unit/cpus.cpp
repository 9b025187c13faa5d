#include "groma/machine/cpus.hpp"

#include <gtest/gtest.h>

namespace groma {
namespace {

struct Expected {
  Seat first, second;
};

void expect_seats(const std::vector<Whereabouts>& ranks, Expected expected) {
  const auto found = two_at_once(ranks);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->front().rank, expected.first.rank);
  EXPECT_EQ(found->front().cpu, expected.first.cpu);
  EXPECT_EQ(found->back().rank, expected.second.rank);
  EXPECT_EQ(found->back().cpu, expected.second.cpu);
}

TEST(Cpus, RangesAreWrittenShort) { EXPECT_EQ(as_ranges({0, 1, 2, 3, 8, 10, 11}), "0-3,8,10-11"); }

TEST(Cpus, TwoRanksStayWhereTheyAreOnDifferentCpus) { expect_seats({{5, {4, 5}}, {4, {4, 5}}}, {{0, 5}, {1, 4}}); }

TEST(Cpus, OneOfTwoOnTheSameCpuMovesWhereItMay) {
  expect_seats({{0, {0, 1}}, {0, {0, 1}}}, {{0, 0}, {1, 1}});
  expect_seats({{0, {0, 1}}, {0, {0}}}, {{0, 1}, {1, 0}});
}

TEST(Cpus, RanksThatShareACpuAreLeftForTwoThatDoNot) {
  expect_seats({{0, {0}}, {0, {0}}, {1, {1}}, {1, {1}}}, {{0, 0}, {2, 1}});
}

TEST(Cpus, RanksOfOneCpuNeverRunAtOnce) {
  EXPECT_FALSE(two_at_once({{0, {0}}, {0, {0}}}).has_value());
  EXPECT_FALSE(two_at_once({{0, {0, 1}}}).has_value());
}

TEST(Cpus, AProcessIsKeptOnTheCpuInItsPlace) {
  const auto before = allowed_cpu_numbers();
  const std::string last = std::to_string(before.back());
  {
    const StayOn restored(before.front());
    EXPECT_EQ(stay_on_own("7000," + last, 1), "");
    EXPECT_EQ(allowed_cpu_numbers(), std::vector<int>{before.back()});
    EXPECT_NE(stay_on_own("7000," + last, 0).find("has CPU 7000, which the system refuses"), std::string::npos);
    EXPECT_NE(stay_on_own(last, 1).find("fewer CPUs (1) than there are ranks"), std::string::npos);
    EXPECT_NE(stay_on_own(last, std::nullopt).find("does not say which process"), std::string::npos);
    EXPECT_NE(stay_on_own("5-2", 0).find("empty range"), std::string::npos);
    EXPECT_EQ(stay_on_own("", 0), "");
    EXPECT_EQ(allowed_cpu_numbers(), std::vector<int>{before.back()});
  }
}

TEST(Cpus, AThreadStaysAndIsFreeAgain) {
  const auto before = allowed_cpu_numbers();
  {
    const StayOn last(before.back());
    EXPECT_EQ(allowed_cpu_numbers(), std::vector<int>{before.back()});
  }
  EXPECT_EQ(allowed_cpu_numbers(), before);
}

}  // namespace
}  // namespace groma
