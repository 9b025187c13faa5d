#include "groma/patterns/ring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace groma {
namespace {

TEST(Ring, PartnersAreDistinctInTheOwnLaneAndExpectEachOther) {
  for (int lane = 2; lane <= 9; ++lane) {
    for (int targets = 1; targets < lane; ++targets) {
      for (int rank = 0; rank < 3 * lane; ++rank) {
        const Partners own = partners_of(rank, lane, targets);
        EXPECT_EQ(std::set<int>(own.targets.begin(), own.targets.end()).size(), static_cast<std::size_t>(targets));
        EXPECT_EQ(own.sources.size(), own.targets.size());
        if (lane % 2 == 0 || targets % 2 == 0) {
          EXPECT_TRUE(std::is_permutation(own.targets.begin(), own.targets.end(), own.sources.begin()));
        }
        for (const int target : own.targets) {
          EXPECT_NE(target, rank);
          EXPECT_EQ(target / lane, rank / lane);
          const std::vector<int> back = partners_of(target, lane, targets).sources;
          EXPECT_EQ(std::count(back.begin(), back.end(), rank), 1) << lane << ' ' << targets << ' ' << rank;
        }
      }
    }
  }
}

TEST(Ring, OneTargetOfTwoIsThePartner) {
  EXPECT_EQ(partners_of(4, 2, 1).targets, std::vector<int>{5});
  EXPECT_EQ(partners_of(5, 2, 1).sources, std::vector<int>{4});
}

}  // namespace
}  // namespace groma
