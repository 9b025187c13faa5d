#include "groma/patterns/pattern.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "groma/buffers/share.hpp"
#include "groma/launch/validate.hpp"
#include "groma/operations/exchanges.hpp"
#include "groma/operations/point_to_point.hpp"
#include "groma/operations/reductions.hpp"
#include "groma/operations/rooted.hpp"
#include "groma/operations/targets.hpp"
#include "groma/patterns/groups.hpp"
#include "groma/plan/fields.hpp"
#include "groma/timed/entry_of.hpp"

namespace groma {
namespace {

std::vector<int> members(const Info& info, const std::string& pattern, int world, std::int64_t ranks = 0) {
  Point point = default_point(info);
  point.pattern = pattern;
  point.ranks = ranks;
  return members_of(info, point, world);
}

using Ranks = std::vector<int>;

TEST(Patterns, PairsStandTwoByTwo) {
  EXPECT_EQ(members(PingPong::info, "first_two", 5), (Ranks{0, 1}));
  EXPECT_EQ(members(PingPong::info, "first_last", 5), (Ranks{0, 4}));
  EXPECT_EQ(members(PingPong::info, "distance=3", 5), (Ranks{0, 3}));
  EXPECT_EQ(members(PingPong::info, "neighbours", 5), (Ranks{0, 1, 2, 3}));
  EXPECT_EQ(members(PingPong::info, "halves", 6), (Ranks{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(members(PingPong::info, "halves", 5), (Ranks{0, 2, 1, 3}));
  EXPECT_EQ(members(PingPong::info, "list=4,0,2,1", 5), (Ranks{4, 0, 2, 1}));
}

TEST(Patterns, GroupsMayBeSmaller) {
  EXPECT_EQ(members(Bcast::info, "all", 3), (Ranks{0, 1, 2}));
  EXPECT_EQ(members(Bcast::info, "all", 5, 2), (Ranks{0, 1}));
  EXPECT_EQ(members(Bcast::info, "list=2,0", 3), (Ranks{2, 0}));
  EXPECT_EQ(members(Bcast::info, "all", 1), (Ranks{0}));
}

TEST(Patterns, DrawnOrdersHoldEveryRankOnceAndFollowTheSeed) {
  Ranks drawn = members(Bcast::info, "random=7", 9);
  EXPECT_EQ(drawn, members(Bcast::info, "random=7", 9));
  EXPECT_NE(drawn, members(Bcast::info, "random=8", 9));
  EXPECT_EQ(members(PingPong::info, "random=7", 9), Ranks(drawn.begin(), drawn.end() - 1));  // the last has no partner
  std::sort(drawn.begin(), drawn.end());
  EXPECT_EQ(drawn, members(Bcast::info, "all", 9));
}

TEST(Patterns, WhatCanNotBeIsRefused) {
  EXPECT_THROW(members(PingPong::info, "random", 4), InputError);
  EXPECT_THROW(members(PingPong::info, "random=x", 4), InputError);
  EXPECT_THROW(members(PingPong::info, "slowest", 1), InputError);
  EXPECT_THROW(members(PingPong::info, "farthest=2", 4), InputError);
  EXPECT_THROW(members(PingPong::info, "all", 4), InputError);
  EXPECT_THROW(members(Bcast::info, "halves", 4), InputError);
  EXPECT_THROW(members(PingPong::info, "first_two", 1), InputError);
  EXPECT_THROW(members(PingPong::info, "distance=5", 5), InputError);
  EXPECT_THROW(members(PingPong::info, "distance=0", 5), InputError);
  EXPECT_THROW(members(PingPong::info, "distance", 5), InputError);
  EXPECT_THROW(members(PingPong::info, "first_two=1", 5), InputError);
  EXPECT_THROW(members(PingPong::info, "list=0,1,2", 5), InputError);
  EXPECT_THROW(members(PingPong::info, "list=0,0", 5), InputError);
  EXPECT_THROW(members(PingPong::info, "list=0,5", 5), InputError);
  EXPECT_THROW(members(Exchange::info, "list=0", 5), InputError);
  EXPECT_THROW(members(Bcast::info, "al", 5), InputError);
  EXPECT_THROW(members(Bcast::info, "all", 5, 6), InputError);
}

std::vector<Group> groups(const Info& info, const std::string& communicator, int world,
                          const std::vector<int>& nodes = {}, std::int64_t ranks = 0) {
  Point point = default_point(info);
  point.communicator = communicator;
  point.ranks = ranks;
  return groups_of(info, point, world, nodes);
}

using Groups = std::vector<Group>;

TEST(Communicators, EachHasItsRanks) {
  EXPECT_EQ(groups(Bcast::info, "copy", 3), (Groups{{0, 1, 2}}));
  EXPECT_EQ(groups(Bcast::info, "copy", 3, {}, 2), (Groups{{0, 1}}));
  EXPECT_EQ(groups(Bcast::info, "world", 3), (Groups{{0, 1, 2}}));
  EXPECT_EQ(groups(Bcast::info, "world-1", 3), (Groups{{0, 1}}));
  EXPECT_EQ(groups(Bcast::info, "half", 5), (Groups{{0, 1}}));
  EXPECT_EQ(groups(Bcast::info, "groups=2", 5), (Groups{{0, 1}, {2, 3}}));
  EXPECT_EQ(groups(Bcast::info, "groups=5", 5), (Groups{{0}, {1}, {2}, {3}, {4}}));
  EXPECT_EQ(groups(Bcast::info, "node", 5, {0, 1, 0, 1, 1}), (Groups{{0, 2}, {1, 3, 4}}));
  EXPECT_EQ(groups(Bcast::info, "leaders", 5, {1, 1, 0, 2, 0}), (Groups{{0, 2, 3}}));
  EXPECT_EQ(groups(PingPong::info, "world", 2), (Groups{{0, 1}}));
}

TEST(Communicators, WhatCanNotBeIsRefused) {
  EXPECT_THROW(groups(Bcast::info, "world", 3, {}, 2), InputError);
  EXPECT_THROW(groups(Bcast::info, "world-1", 1), UnfitError);
  EXPECT_THROW(groups(Bcast::info, "world-1", 2), UnfitError);
  EXPECT_THROW(groups(Bcast::info, "half", 1), UnfitError);
  EXPECT_THROW(groups(Bcast::info, "half", 3), UnfitError);
  EXPECT_THROW(groups(Bcast::info, "leaders", 3, {0, 0, 0}), InputError);
  EXPECT_THROW(groups(Bcast::info, "groups", 3), InputError);
  EXPECT_THROW(groups(Bcast::info, "groups=0", 3), InputError);
  EXPECT_THROW(groups(Bcast::info, "groups=4", 3), InputError);
  EXPECT_THROW(groups(Bcast::info, "copy=4", 3), InputError);
  EXPECT_THROW(groups(Bcast::info, "wrld", 3), InputError);
  EXPECT_THROW(groups(PingPong::info, "half", 4), InputError);
  EXPECT_THROW(groups(Exchange::info, "groups=3", 4), InputError);
}

TEST(Communicators, ATotalIsDividedDownToWholeElements) {
  Point point = default_point(Allreduce::info);
  point.bytes = 100;
  EXPECT_EQ(own_share(point, 3).bytes, 100);
  point.bytes_of = payload::BytesOf::total;
  EXPECT_EQ(own_share(point, 3).bytes, 32);
  EXPECT_EQ(own_share(point, 30).bytes, 0);
  EXPECT_THROW(validate(point, entry_of<Blocking<Allreduce>>(), 30), InputError);
}

const std::vector<int> two_by_two{0, 0, 1, 1};
const std::vector<int> round_robin{0, 1, 2, 3, 0, 1, 2, 3};

Ranks on_nodes(const Info& info, const std::string& pattern, const std::vector<int>& nodes, std::int64_t each = 0) {
  Point point = default_point(info);
  point.pattern = pattern;
  point.ranks_per_node = each;
  return members_of(info, point, static_cast<int>(nodes.size()), nodes);
}

TEST(Nodes, PairsAreOnOneNodeOrOnTwo) {
  EXPECT_EQ(on_nodes(PingPong::info, "intranode", two_by_two), (Ranks{0, 1}));
  EXPECT_EQ(on_nodes(PingPong::info, "internode", two_by_two), (Ranks{0, 2}));
  EXPECT_EQ(on_nodes(PingPong::info, "intranode", round_robin), (Ranks{0, 4}));
  EXPECT_EQ(on_nodes(PingPong::info, "internode", round_robin), (Ranks{0, 1}));
  EXPECT_EQ(on_nodes(PingPong::info, "intranode", {0, 1, 1}), (Ranks{1, 2}));
}

TEST(Nodes, BisectionPairsHalfTheNodesWithTheOtherHalf) {
  EXPECT_EQ(on_nodes(PingPong::info, "bisection", two_by_two), (Ranks{0, 2, 1, 3}));
  EXPECT_EQ(on_nodes(PingPong::info, "bisection", round_robin), (Ranks{0, 2, 4, 6, 1, 3, 5, 7}));
  EXPECT_EQ(on_nodes(PingPong::info, "bisection", {0, 1, 2}), (Ranks{0, 1})) << "an odd last node sits out";
}

TEST(Nodes, RingsStayOnTheirNodeOrPassFromNodeToNode) {
  EXPECT_EQ(on_nodes(Targets::info, "intranode", round_robin), (Ranks{0, 4, 1, 5, 2, 6, 3, 7}));
  EXPECT_EQ(on_nodes(Targets::info, "internode", two_by_two), (Ranks{0, 2, 1, 3}));
  Point point = default_point(Targets::info);
  for (const auto& [pattern, lane] : std::map<std::string, int>{{"intranode", 2}, {"internode", 4}, {"all", 8}}) {
    point.pattern = pattern;
    EXPECT_EQ(lane_of(point, members_of(Targets::info, point, 8, round_robin), round_robin), lane) << pattern;
  }
}

TEST(Nodes, TheFirstRanksOfEveryNode) {
  EXPECT_EQ(on_nodes(Bcast::info, "all", round_robin, 1), (Ranks{0, 1, 2, 3}));
  EXPECT_EQ(on_nodes(Bcast::info, "first_last", {0, 0, 0, 1, 1, 1}, 2), (Ranks{0, 4}));
  EXPECT_THROW(on_nodes(Bcast::info, "all", {0, 0, 0, 1}, 1), UnfitError) << "a node has only one: that is all of them";
  EXPECT_THROW(on_nodes(Bcast::info, "all", two_by_two, 2), UnfitError);
}

TEST(Nodes, WhatTheLaunchHasNotIsRefusedAndNeverSomethingElse) {
  const std::vector<int> one(4, 0);
  for (const char* pattern : {"internode", "bisection"}) {
    EXPECT_THROW(on_nodes(PingPong::info, pattern, one), UnfitError) << pattern;
    EXPECT_THROW(on_nodes(Targets::info, pattern, one), UnfitError) << pattern;
  }
  EXPECT_THROW(on_nodes(PingPong::info, "intranode", {0, 1, 2}), UnfitError);
  EXPECT_THROW(on_nodes(Targets::info, "intranode", {0, 0, 1}), UnfitError) << "rings of different lengths";
  EXPECT_THROW(on_nodes(Bcast::info, "internode", two_by_two), InputError) << "a group has no pairs";
}

}  // namespace
}  // namespace groma
