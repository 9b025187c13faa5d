#include "groma/mpi/startup.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace groma {
namespace {

TEST(StartUp, EveryPairMeetsOnceInTheRounds) {
  for (int ranks = 2; ranks <= 17; ++ranks) {
    const int rounds = ranks + ranks % 2 - 1;
    std::set<std::pair<int, int>> met;
    for (int round = 0; round < rounds; ++round) {
      int alone = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const int partner = partner_in_round(rank, ranks, round);
        if (partner < 0) {
          ++alone;
          continue;
        }
        ASSERT_NE(partner, rank);
        ASSERT_EQ(partner_in_round(partner, ranks, round), rank) << ranks << ' ' << round;
        if (rank < partner) {
          EXPECT_TRUE(met.emplace(rank, partner).second) << ranks << ' ' << round;
        }
      }
      EXPECT_EQ(alone, ranks % 2);
    }
    EXPECT_EQ(met.size(), static_cast<std::size_t>(ranks * (ranks - 1) / 2));
  }
}

}  // namespace
}  // namespace groma
