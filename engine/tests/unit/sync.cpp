#include "groma/sync/sync.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace groma {
namespace {

// Replays the rounds on paper: a rank may leave only when it has heard, through others, from every rank.
TEST(Dissemination, NobodyLeavesBeforeHearingOfEverybody) {
  for (int ranks = 1; ranks <= 65; ++ranks) {
    std::vector<std::set<int>> heard(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) heard[static_cast<std::size_t>(rank)] = {rank};
    int rounds = 0;
    for (int distance = 1; distance < ranks; distance *= 2, ++rounds) {
      const auto before = heard;
      for (int rank = 0; rank < ranks; ++rank) {
        const Peers peers = dissemination_peers({MPI_COMM_NULL, rank, ranks}, distance);
        EXPECT_EQ(dissemination_peers({MPI_COMM_NULL, peers.to, ranks}, distance).from, rank);
        const auto& news = before[static_cast<std::size_t>(peers.from)];
        heard[static_cast<std::size_t>(rank)].insert(news.begin(), news.end());
      }
    }
    for (const auto& known : heard) ASSERT_EQ(known.size(), static_cast<std::size_t>(ranks)) << ranks << " ranks";
    EXPECT_LE(ranks, 1 << rounds);
    EXPECT_GT(2 * ranks, 1 << rounds);
  }
}

}  // namespace
}  // namespace groma
