#include "groma/patterns/search.hpp"

#include <gtest/gtest.h>

#include <set>

namespace groma {
namespace {

TEST(Search, EveryTwoPlayersMeetOnceAndNobodyTwiceInARound) {
  for (int players = 2; players <= 33; ++players) {
    const int rounds = players % 2 == 0 ? players - 1 : players;
    std::set<std::pair<int, int>> met;
    for (int round = 0; round < rounds; ++round) {
      int sitting_out = 0;
      for (int player = 0; player < players; ++player) {
        const int other = opponent(player, round, players);
        sitting_out += other < 0 ? 1 : 0;
        if (other < 0) continue;
        ASSERT_NE(other, player);
        ASSERT_EQ(opponent(other, round, players), player) << players << " players, round " << round;
        if (player < other) {
          ASSERT_TRUE(met.emplace(player, other).second);
        }
      }
      ASSERT_EQ(sitting_out, players % 2);
    }
    ASSERT_EQ(met.size(), static_cast<std::size_t>(players * (players - 1) / 2));
  }
}

}  // namespace
}  // namespace groma
