// The scans with planted times: they exchange real messages, and find what was planted.
#include "groma/patterns/search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "groma/plan/fields.hpp"

namespace groma {
namespace {

class PairSearch : public testing::Test {
 protected:
  Comm world = Comm(MPI_COMM_WORLD).copy();
  SearchRules rules = {.round_trips = 2};
  std::vector<std::uint64_t> hosts = std::vector<std::uint64_t>(static_cast<std::size_t>(world.size()), 7);

  /// Real round trips whose time is replaced: `slow` takes 5000 ns, every other pair 1000 ns and a little more.
  Probe planted(std::pair<int, int> slow) const {
    return [real = round_trips(world, rules), slow, me = world.rank()](int partner, bool first) {
      EXPECT_GT(real(partner, first), 0);
      const std::pair<int, int> pair = std::minmax(me, partner);
      return pair == slow ? 5000.0 : 1000.0 + pair.first + pair.second;
    };
  }
  [[nodiscard]] std::vector<int> a_node_each() const {
    std::vector<int> nodes(static_cast<std::size_t>(world.size()));
    std::iota(nodes.begin(), nodes.end(), 0);
    return nodes;
  }
  static Point searching(const std::string& pattern) {
    Point point;
    point.operation = "pingpong";
    point.pattern = pattern;
    return point;
  }
};

TEST_F(PairSearch, TheSlowestPartnerOfRankZeroIsFound) {
  for (int slow = 1; slow < world.size(); ++slow) {
    const Finding found = search_slowest(world, world.size(), planted({0, slow}));
    EXPECT_EQ(found.slowest.front().first, 0);
    EXPECT_EQ(found.slowest.front().second, slow);
    EXPECT_EQ(found.slowest.front().one_way_ns, 5000);
    EXPECT_EQ(found.scanned, world.size() - 1);
  }
}

TEST_F(PairSearch, RanksBeyondThoseOfThePointAreLeftOut) {
  if (world.size() < 3) GTEST_SKIP();
  const Finding found = search_slowest(world, 2, planted({0, world.size() - 1}));
  ASSERT_EQ(found.slowest.size(), 1U);
  EXPECT_EQ(found.slowest.front().second, 1);
}

TEST_F(PairSearch, TheFarthestPairIsFoundWhereverItIs) {
  if (world.size() < 2) GTEST_SKIP();
  for (int a = 0; a < world.size(); ++a) {
    for (int b = a + 1; b < world.size(); ++b) {
      const Finding found = search_farthest(world, a_node_each(), rules, planted({a, b}));
      EXPECT_EQ(found.slowest.front().first, a);
      EXPECT_EQ(found.slowest.front().second, b);
      EXPECT_EQ(found.scanned, found.pairs);
      EXPECT_EQ(found.pairs, world.size() * (world.size() - 1) / 2);
    }
  }
}

TEST_F(PairSearch, APairThatItsRoundHidesIsFoundWithFewerPairsAtOnce) {
  if (world.size() < 4) GTEST_SKIP();
  rules.few_nodes = 0;
  rules.finalists = 2;
  std::map<int, int> calls;  // of this rank with each partner: the first round is congested, and the far pair least
  const Probe congested = [&](int partner, bool first) {
    const double alone_ns = planted({0, 1})(partner, first);
    const bool crowded = calls[partner]++ == 0;
    return !crowded ? alone_ns : alone_ns == 5000 ? 8000.0 : 9000.0;
  };
  const Finding found = search_farthest(world, a_node_each(), rules, congested);
  EXPECT_EQ(found.slowest.front().first, 0);
  EXPECT_EQ(found.slowest.front().second, 1);
  EXPECT_EQ(found.slowest.front().one_way_ns, 5000);
  EXPECT_EQ(found.at_once, 1);
}

TEST_F(PairSearch, FewNodesAreScreenedOnePairAtATime) {
  if (world.size() < 2) GTEST_SKIP();
  EXPECT_EQ(search_farthest(world, a_node_each(), rules, planted({0, 1})).at_once, 1);
  rules.few_nodes = 0;
  EXPECT_EQ(search_farthest(world, a_node_each(), rules, planted({0, 1})).at_once, world.size() / 2);
}

TEST_F(PairSearch, OnlyTheFirstRankOfEachNodeIsAskedForItsLatency) {
  if (world.size() < 4) GTEST_SKIP();
  std::vector<int> nodes(static_cast<std::size_t>(world.size()), 1);  // ranks 0 and 1 on one node, 2 ... on the other
  nodes[0] = nodes[1] = 0;
  const Finding found = search_farthest(world, nodes, rules, planted({1, 3}));
  EXPECT_EQ(found.pairs, 1);
  EXPECT_EQ(found.slowest.front().first, 0);
  EXPECT_EQ(found.slowest.front().second, 2);
}

TEST_F(PairSearch, WithFewRoundsSomePairsAreMeasuredAndTheRecordSaysHowMany) {
  if (world.size() < 4) GTEST_SKIP();
  rules.most_rounds = 2;
  const Finding found = search_farthest(world, a_node_each(), rules, planted({-1, -1}));
  EXPECT_EQ(found.scanned, 2 * (world.size() / 2));
  EXPECT_LT(found.scanned, found.pairs);
}

TEST_F(PairSearch, OneNodeHasNoFarthestPair) {
  const std::vector<int> nodes(static_cast<std::size_t>(world.size()), 0);
  PairFinder finder(world, nodes, hosts, 1);
  EXPECT_THROW(finder.settled(searching("farthest")), InputError);
}

TEST_F(PairSearch, PointsOfOnePatternShareOneScan) {
  if (world.size() < 2) GTEST_SKIP();
  const std::vector<int> nodes = a_node_each();
  PairFinder finder(world, nodes, hosts, 1);
  const Point point = searching("slowest");
  const std::string pattern = finder.settled(point).pattern;
  EXPECT_EQ(finder.settled(point).pattern, pattern);
  const auto made = finder.describe();
  ASSERT_EQ(made.size(), 1U);
  EXPECT_EQ(made[0].slowest[0].ranks[0], 0);
  EXPECT_EQ("list=0," + std::to_string(made[0].slowest[0].ranks[1]), pattern);
  EXPECT_EQ(finder.settled(searching("halves")).pattern, "halves");
}

std::string name_of(const schema::Search& search) {
  return search.pattern + "/" + std::to_string(search.ranks) + "/" + std::to_string(search.bytes) + "@" +
         search.placement;
}

TEST_F(PairSearch, LongMessagesAreProbedWithLongMessages) {
  if (world.size() < 2) GTEST_SKIP();
  const std::vector<int> nodes = a_node_each();
  PairFinder finder(world, nodes, hosts, 1);
  Point point = searching("farthest");
  point.bytes = 1 << 20;
  const std::string pattern = finder.settled(point).pattern;
  const auto made = finder.describe();
  ASSERT_EQ(made.size(), 2U) << "the pair of short messages is found first";
  EXPECT_EQ(made[0].bytes, 8);
  EXPECT_EQ(made[1].bytes, 65536);
  const auto& used = made[1].slowest[0].ranks;
  EXPECT_EQ("list=" + std::to_string(used[0]) + "," + std::to_string(used[1]), pattern);
}

TEST_F(PairSearch, APairOfAnEarlierLaunchIsTakenWhereTheHostsAreTheSame) {
  if (world.size() < 3) GTEST_SKIP();
  const std::vector<int> nodes = a_node_each();
  const Point point = searching("farthest");
  PairFinder first(world, nodes, hosts, 1);
  first.settled(point);
  const std::string known = name_of(first.describe()[0]) + "=1,2";
  PairFinder second(world, nodes, hosts, 2, known);
  EXPECT_EQ(second.settled(point).pattern, "list=1,2");
  EXPECT_TRUE(second.describe()[0].given);
  EXPECT_GT(second.describe()[0].slowest[0].one_way_ns, 0);
  hosts.back() = 8;
  PairFinder elsewhere(world, nodes, hosts, 2, known);
  elsewhere.settled(point);
  EXPECT_FALSE(elsewhere.describe()[0].given);
}

TEST_F(PairSearch, APairOfALaunchWithMoreRanksIsLeftToSuchLaunches) {
  if (world.size() < 2) GTEST_SKIP();
  const std::vector<int> nodes = a_node_each();
  const std::string more = std::to_string(world.size() + 1);
  PairFinder finder(world, nodes, hosts, 1, "slowest/" + more + "/8@0=0," + std::to_string(world.size()));
  finder.settled(searching("slowest"));
  EXPECT_FALSE(finder.describe()[0].given);
}

TEST_F(PairSearch, APairThatIsNoneIsRefused) {
  const std::vector<int> nodes = a_node_each();
  for (const char* known : {"farthest/2/8@0=1", "farthest/2/8@0=0,99", "farthest/2/8@0=0,0", "farthest/2@0=0,1",
                            "farthest/x/8@0=0,1", "nonsense"}) {
    EXPECT_THROW(PairFinder(world, nodes, hosts, 1, known), InputError) << known;
  }
}

}  // namespace
}  // namespace groma
