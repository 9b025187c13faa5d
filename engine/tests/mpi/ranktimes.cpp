// Reductions over ranks, against values whose answers are known by arithmetic.
#include "groma/timed/ranktimes.hpp"

#include <gtest/gtest.h>

#include "groma/measure/pacer.hpp"
#include "groma/operations/point_to_point.hpp"
#include "groma/operations/rooted.hpp"
#include "groma/plan/fields.hpp"

namespace groma {
namespace {

class Ranks : public testing::Test {
 protected:
  Comm world = Comm(MPI_COMM_WORLD).copy();
  int rank = world.rank();
  int ranks = world.size();

  /// Rank r enters 10 r late and stays 100 + r.
  [[nodiscard]] RankTimes staircase(std::size_t repetitions) const {
    RankTimes times;
    for (std::size_t i = 0; i < repetitions; ++i) {
      const auto base = static_cast<std::int64_t>(1000 * i);
      times.enter.push_back(base + std::int64_t{10} * rank);
      times.leave.push_back(times.enter.back() + 100 + rank);
      times.late.push_back(i == 1 && rank == ranks - 1 ? 1 : 0);
    }
    return times;
  }

  [[nodiscard]] Reduced by(method::Reduce reduce, const Info& info = Bcast::info) const {
    Point point = default_point(info);
    point.reduce = reduce;
    const std::vector<int> roots{0, 0, ranks - 1};
    const bool first = info.parties == Parties::pairs ? rank % 2 == 0 : rank == 0;
    return reduce_ranks(world, info, point, {.rank = rank, .first = first}, staircase(3), roots, true);
  }
};

TEST_F(Ranks, EveryRuleOfReduction) {
  const std::int64_t last = ranks - 1;
  EXPECT_EQ(by(method::Reduce::max).samples, (std::vector<std::int64_t>{100 + last, 100 + last}));
  EXPECT_EQ(by(method::Reduce::min).samples, (std::vector<std::int64_t>{100, 100}));
  EXPECT_EQ(by(method::Reduce::root).samples, (std::vector<std::int64_t>{100, 100 + last}));
  EXPECT_EQ(by(method::Reduce::span).samples, (std::vector<std::int64_t>{11 * last + 100, 11 * last + 100}));
  EXPECT_EQ(by(method::Reduce::post_arrival).samples, (std::vector<std::int64_t>{100 + last, 100 + last}));
  const std::int64_t total = std::int64_t{100} * ranks + ranks * last / 2;
  EXPECT_EQ(by(method::Reduce::mean).samples.front(), (total + ranks / 2) / ranks);
  EXPECT_EQ(by(method::Reduce::mean).own, (std::vector<std::int64_t>{100 + rank, 100 + rank}));
  EXPECT_EQ(by(method::Reduce::span).invalid, 1);
  EXPECT_EQ(by(method::Reduce::span).arrival_skew, (std::vector<std::int64_t>{10 * last, 10 * last}));
  EXPECT_EQ(by(method::Reduce::span).own_completion, (std::vector<std::int64_t>{11 * rank + 100, 11 * rank + 100}));
  EXPECT_EQ(by(method::Reduce::span).excess_ns, 0);
}

TEST_F(Ranks, OnlyTheFirstOfEachPairTimesAPingPong) {
  if (ranks % 2 != 0) return;
  EXPECT_EQ(by(method::Reduce::max, PingPong::info).samples.front(), 100 + ranks - 2);
}

TEST_F(Ranks, QuartilesOverRanksAreOrderStatistics) {
  const auto numbers = over_ranks(world, {std::int64_t{1000} * (rank + 1), 7});
  ASSERT_EQ(numbers.size(), 2U);
  const auto order = [&](int quarter) { return 1000 * std::int64_t{(quarter * ranks + 3) / 4}; };
  EXPECT_EQ(numbers[0].front(), 1000);
  EXPECT_EQ(numbers[0].back(), 1000 * ranks);
  for (int quarter = 1; quarter <= 3; ++quarter) {
    EXPECT_NEAR(static_cast<double>(numbers[0][static_cast<std::size_t>(quarter)]), static_cast<double>(order(quarter)),
                1);
  }
  EXPECT_EQ(numbers[1], (FiveNumbers{7, 7, 7, 7, 7}));
}

TEST_F(Ranks, PartsAreThoseOfTheRankOnWhichTheyTookLongestTogether) {
  // In the first repetition the last rank takes longest, in the second all take as long.
  const std::int64_t own = rank + 1;
  const auto parts = of_slowest(world, {own, 10 * own, 5 - rank, rank}, 2);
  const std::int64_t last = ranks;
  EXPECT_EQ(parts, (std::vector<std::int64_t>{last, 10 * last, 5, 0}));
  EXPECT_TRUE(of_slowest(world, {}, 2).empty());
}

TEST_F(Ranks, ArrivalsAreTheSameStoryOnEveryRank) {
  Point point = default_point(Bcast::info);
  point.arrival_delay_us = 40;
  std::uint64_t random = 5;
  point.arrival = method::Arrival::one_late;
  EXPECT_EQ(arrival_delay_ns(point, rank, ranks, random), rank == ranks - 1 ? 40'000 : 0);
  point.arrival = method::Arrival::linear;
  EXPECT_EQ(arrival_delay_ns(point, rank, ranks, random), ranks > 1 ? 40'000 * rank / (ranks - 1) : 0);
  point.arrival = method::Arrival::random;
  for (int i = 0; i < 100; ++i) {
    const std::int64_t mine = arrival_delay_ns(point, rank, ranks, random);
    EXPECT_GE(mine, 0);
    EXPECT_LE(mine, 40'000);
  }
  std::uint64_t least = random;
  MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_UINT64_T, MPI_MIN, world.get());
  EXPECT_EQ(least, random) << "the ranks have drawn differently";
}

TEST(FiveNumbers, AreOrderStatistics) {
  EXPECT_EQ(five_numbers({5, 1, 3, 2, 4}), (FiveNumbers{1, 2, 3, 4, 5}));
  EXPECT_EQ(five_numbers({9}), (FiveNumbers{9, 9, 9, 9, 9}));
  EXPECT_EQ(five_numbers({}), FiveNumbers{});
}

}  // namespace
}  // namespace groma
