#include "groma/patterns/transfers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace groma {
namespace {

constexpr int longest = 262144;

std::uint64_t fnv1a(const std::vector<Transfer>& transfers) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const Transfer& one : transfers) {
    for (const int value : {one.source, one.destination, one.length}) {
      for (unsigned shift = 0; shift < 32; shift += 8) {
        hash = (hash ^ ((static_cast<std::uint32_t>(value) >> shift) & 0xFFU)) * 0x100000001B3;
      }
    }
  }
  return hash;
}

TEST(Pcg32, IsTheGeneratorOfItsAuthor) {
  // The first numbers that the demonstration program of the published sources prints (seed 42, stream 54).
  Pcg32 random(42, 54);
  for (const std::uint32_t expected : {0xA15C02B7U, 0x7B47F409U, 0xBA1D3330U, 0x83D2F293U, 0xBFA4784BU, 0xCBED606EU}) {
    EXPECT_EQ(random.next(), expected);
  }
}

TEST(Pcg32, BoundedDrawsAreBelowTheirBoundAndReachIt) {
  Pcg32 random(7, 54);
  for (const std::uint32_t bound : {1U, 2U, 3U, 1000U, 3'000'000'000U}) {
    std::uint32_t highest = 0;
    for (int i = 0; i < 10000; ++i) {
      const std::uint32_t drawn = random.below(bound);
      ASSERT_LT(drawn, bound);
      highest = std::max(highest, drawn);
    }
    EXPECT_GE(highest, bound - 1 - bound / 100);
  }
}

TEST(Transfers, ASeedNamesOneListForEver) {
  EXPECT_EQ(fnv1a(draw_transfers({.ranks = 4, .messages = 6, .seed = 1, .longest = longest})), 1045430470418904849U);
  EXPECT_EQ(fnv1a(draw_transfers({.ranks = 384, .messages = 6, .both_ways = true, .seed = 2'004, .longest = longest})),
            18352399083981723254U);
}

TEST(Transfers, RankTimesMessagesPairsOfDifferentRanks) {
  for (const int ranks : {2, 3, 4, 7, 16, 384}) {
    for (const int messages : {1, 2, 6}) {
      for (std::uint32_t seed = 0; seed < 20; ++seed) {
        const auto list = draw_transfers({.ranks = ranks, .messages = messages, .seed = seed, .longest = longest});
        ASSERT_EQ(list.size(), static_cast<std::size_t>(ranks * messages));
        for (const auto& [source, destination, length] : list) {
          ASSERT_NE(source, destination);
          ASSERT_TRUE(0 <= source && source < ranks && 0 <= destination && destination < ranks);
          ASSERT_TRUE(1 <= length && length <= longest);
        }
      }
    }
  }
}

TEST(Transfers, DoubleSidedIsTheSameListAndThenEveryPairReversed) {
  TransferRules rules{.ranks = 9, .messages = 50, .seed = 3, .longest = longest};
  const auto single = draw_transfers(rules);
  rules.both_ways = true;
  const auto both = draw_transfers(rules);
  ASSERT_EQ(both.size(), 2 * single.size());
  double product = 0;
  for (std::size_t i = 0; i < single.size(); ++i) {
    const Transfer& back = both[single.size() + i];
    EXPECT_EQ(both[i].length, single[i].length);
    EXPECT_EQ(both[i].source, single[i].source);
    EXPECT_EQ(back.source, single[i].destination);
    EXPECT_EQ(back.destination, single[i].source);
    product += (single[i].length - longest / 2.0) * (back.length - longest / 2.0);
  }
  // Independent lengths: their correlation over n pairs is within 4 / sqrt(n) but for one list in 16000.
  const double variance = static_cast<double>(longest) * longest / 12;
  const auto n = static_cast<double>(single.size());
  EXPECT_LT(std::abs(product / variance / n), 4 / std::sqrt(n));
}

/// Chi-square of counts that should be alike, against its 99.99 % quantile (Wilson and Hilferty's approximation).
void expect_alike(const std::vector<int>& counts, const char* what) {
  double total = 0;
  for (const int count : counts) total += count;
  const double expected = total / static_cast<double>(counts.size());
  double chi_square = 0;
  for (const int count : counts) chi_square += (count - expected) * (count - expected) / expected;
  const auto freedom = static_cast<double>(counts.size() - 1);
  constexpr double z = 3.719;
  const double spread = 2 / (9 * freedom);
  EXPECT_LT(chi_square, freedom * std::pow(1 - spread + z * std::sqrt(spread), 3)) << what;
  EXPECT_GT(chi_square, freedom * std::pow(1 - spread - z * std::sqrt(spread), 3)) << what << ": too even to be random";
}

TEST(Transfers, LengthsSourcesAndDestinationsAreUniform) {
  constexpr int ranks = 16;
  constexpr int bins = 64;
  for (const std::uint32_t seed : {1U, 2U, 4'000'000'000U}) {
    std::vector<int> lengths(bins);
    std::vector<int> sources(ranks);
    std::vector<int> steps(ranks - 1);
    for (const auto& [source, destination, length] :
         draw_transfers({.ranks = ranks, .messages = 6000, .seed = seed, .longest = longest})) {
      ++lengths[static_cast<std::size_t>((length - 1) / (longest / bins))];
      ++sources[static_cast<std::size_t>(source)];
      ++steps[static_cast<std::size_t>((destination - source + ranks) % ranks - 1)];
    }
    expect_alike(lengths, "lengths");
    expect_alike(sources, "sources");
    expect_alike(steps, "destinations");
  }
}

TEST(Transfers, BothEndsAreReachedByALength) {
  bool shortest_seen = false;
  bool longest_seen = false;
  for (const Transfer& one : draw_transfers({.ranks = 4, .messages = 1000, .longest = 5})) {
    shortest_seen = shortest_seen || one.length == 1;
    longest_seen = longest_seen || one.length == 5;
  }
  EXPECT_TRUE(shortest_seen && longest_seen);
  for (const Transfer& one : draw_transfers({.ranks = 4, .longest = 0})) EXPECT_EQ(one.length, 0);
}

TEST(Transfers, PartsOfAllRanksAreTheListTwice) {
  constexpr int ranks = 5;
  const auto list = draw_transfers({.ranks = ranks, .messages = 6, .both_ways = true, .seed = 11, .longest = longest});
  std::vector<int> seen(list.size());
  Heaviest most;
  for (int rank = 0; rank < ranks; ++rank) {
    std::int64_t sent = 0;
    std::int64_t received = 0;
    std::int64_t last = -1;
    for (const Part& part : parts_of(list, rank, SendFrom::places)) {
      const Transfer& one = list[static_cast<std::size_t>(part.number)];
      ++seen[static_cast<std::size_t>(part.number)];
      EXPECT_GT(part.number, last) << "in the order of the list";
      last = part.number;
      EXPECT_EQ(part.sent ? one.source : one.destination, rank);
      EXPECT_EQ(part.sent ? one.destination : one.source, part.peer);
      EXPECT_EQ(part.length, one.length);
      EXPECT_EQ(part.start, part.sent ? sent : received) << "one behind another";
      (part.sent ? sent : received) += part.length;
    }
    most.sent = std::max(most.sent, sent);
    most.received = std::max(most.received, received);
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 2), static_cast<std::ptrdiff_t>(list.size()));
  EXPECT_EQ(heaviest(list, ranks).sent, most.sent);
  EXPECT_EQ(heaviest(list, ranks).received, most.received);
}

TEST(Transfers, FromOneBufferEveryMessageSentBeginsWhereItDoes) {
  const auto list = draw_transfers({.ranks = 3, .messages = 6, .seed = 11, .longest = longest});
  for (int rank = 0; rank < 3; ++rank) {
    const auto placed = parts_of(list, rank, SendFrom::places);
    const auto common = parts_of(list, rank, SendFrom::one_buffer);
    ASSERT_EQ(common.size(), placed.size());
    for (std::size_t i = 0; i < common.size(); ++i) {
      EXPECT_EQ(common[i].start, common[i].sent ? 0 : placed[i].start);
      EXPECT_EQ(common[i].length, placed[i].length);
    }
  }
}

}  // namespace
}  // namespace groma
