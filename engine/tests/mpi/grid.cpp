#include "groma/grid.hpp"

#include <gtest/gtest.h>

#include <array>

namespace groma {
namespace {

TEST(Grid, NeighboursAreEachOthersAcrossOppositeFaces) {
  for (int ranks = 1; ranks <= 27; ++ranks) {
    for (int dimensions = 1; dimensions <= 3; ++dimensions) {
      const Grid first = grid_of(ranks, 0, dimensions);
      EXPECT_EQ(first.lengths[0] * first.lengths[1] * first.lengths[2], ranks);
      for (int rank = 0; rank < ranks; ++rank) {
        const Grid grid = grid_of(ranks, rank, dimensions);
        for (int face = 0; face < grid.faces(); ++face) {
          const int there = grid.neighbours[static_cast<std::size_t>(face)];
          ASSERT_GE(there, 0);
          ASSERT_LT(there, ranks);
          EXPECT_EQ(grid_of(ranks, there, dimensions).neighbours[static_cast<std::size_t>(face ^ 1)], rank);
        }
      }
    }
  }
}

TEST(Grid, TheLastDimensionVariesFastest) {
  const Grid grid = grid_of(12, 5, 2);  // 4 x 3; rank 5 stands at (1, 2)
  EXPECT_EQ(grid.lengths, (std::array<int, 3>{4, 3, 1}));
  EXPECT_EQ((std::array<int, 4>{grid.neighbours[0], grid.neighbours[1], grid.neighbours[2], grid.neighbours[3]}),
            (std::array<int, 4>{2, 8, 4, 3}));
  EXPECT_FALSE(grid.folded(0));
  EXPECT_TRUE(grid_of(4, 0, 2).folded(3));
}

}  // namespace
}  // namespace groma
