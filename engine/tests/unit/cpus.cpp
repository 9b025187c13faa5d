#include "groma/machine/cpus.hpp"

#include <gtest/gtest.h>

#include <array>

#include "groma/machine/team.hpp"
#include "groma/measure/thread_cpus.hpp"

namespace groma {
namespace {

struct ExpectedSeats {
  Seat first, second;
};

void expect_seats(const std::vector<Whereabouts>& ranks, ExpectedSeats expected) {
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

TEST(Cpus, ThreadsHaveCpusOfTheirOwnAsLongAsThereAreSome) {
  using Seats = std::vector<std::vector<int>>;
  EXPECT_EQ(seats_of({{0, 1, 2, 3}, {0, 1, 2, 3}}, 2), (Seats{{0, 1}, {2, 3}}));
  EXPECT_EQ(seats_of({{0, 1}, {0}}, 1), (Seats{{1}, {0}})) << "who has the fewest to choose from chooses first";
  EXPECT_EQ(seats_of({{0, 1}, {0, 1}}, 2), (Seats{{0, 1}, {0, 1}}));
  EXPECT_EQ(seats_of({{5}}, 3), (Seats{{5, 5, 5}}));
}

struct Counts {
  std::array<int, 2> of_thread{};
  std::array<std::vector<int>, 2> seen{};  ///< the CPUs that each could use in its last turn
};
void count(void* counts, int thread) noexcept {
  auto& own = *static_cast<Counts*>(counts);
  ++own.of_thread[static_cast<std::size_t>(thread)];
  own.seen[static_cast<std::size_t>(thread)] = allowed_cpu_numbers();
}

TEST(Cpus, ATeamTakesItsTurnsTogetherOnItsCpus) {
  const auto before = allowed_cpu_numbers();
  const std::array cpus{before.front(), before.back()};
  Counts counts;
  Team team;
  team.start(cpus, &count, &counts);
  EXPECT_EQ(allowed_cpu_numbers(), before);
  for (int batch = 1; batch <= 3; ++batch) {
    team.gather();
    for (int turn = 0; turn < 2; ++turn) {
      team.release();
      count(&counts, 0);
      team.join();
    }
    EXPECT_EQ(Team::inside(), 0);
    team.dismiss();
    EXPECT_EQ(counts.of_thread, (std::array{2 * batch, 2 * batch}));
  }
  EXPECT_EQ(counts.seen[0], std::vector<int>{before.front()});
  EXPECT_EQ(counts.seen[1], std::vector<int>{before.back()});
  EXPECT_EQ(Team::inside(), -1);
  EXPECT_EQ(allowed_cpu_numbers(), before);
}

}  // namespace
}  // namespace groma
