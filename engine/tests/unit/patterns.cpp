#include "groma/patterns/pattern.hpp"

#include <gtest/gtest.h>

#include "groma/operations/catalogue.hpp"
#include "groma/plan/fields.hpp"

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

TEST(Patterns, WhatCanNotBeIsRefused) {
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

}  // namespace
}  // namespace groma
