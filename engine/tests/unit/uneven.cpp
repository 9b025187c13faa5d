#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "groma/operations/exchanges.hpp"

namespace groma {
namespace {

std::vector<std::int64_t> lengths_of(double imbalance, std::int64_t mean, int ranks) {
  const UnevenOptions options{.imbalance = imbalance};
  std::vector<std::int64_t> lengths;
  for (int rank = 0; rank < ranks; ++rank) lengths.push_back(options.length(mean, ranks, rank));
  return lengths;
}

TEST(UnevenLengths, AddUpToAnEvenTotalAndGrowToTheImbalance) {
  for (const double imbalance : {0.0, 0.3, 0.5, 1.0}) {
    for (const std::int64_t mean : {0, 1, 7, 1000, 268435456}) {
      for (const int ranks : {1, 2, 3, 4, 5, 64, 1001}) {
        const std::vector<std::int64_t> lengths = lengths_of(imbalance, mean, ranks);
        EXPECT_EQ(std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}), ranks * mean);
        EXPECT_TRUE(std::is_sorted(lengths.begin(), lengths.end()));
        EXPECT_GE(lengths.front(), 0);
        const double largest = ranks > 1 ? imbalance * static_cast<double>(mean) : 0;
        EXPECT_LE(static_cast<double>(lengths.back() - mean), largest);
        EXPECT_GT(static_cast<double>(lengths.back() - mean), largest - 1);
      }
    }
  }
}

TEST(UnevenLengths, OfFourRanks) {
  EXPECT_EQ(lengths_of(0.5, 100, 4), (std::vector<std::int64_t>{50, 84, 116, 150}));
  EXPECT_EQ(lengths_of(1, 100, 3), (std::vector<std::int64_t>{0, 100, 200}));
}

TEST(UnevenLengths, AreWhatTheContentsAndTheMemorySay) {
  const UnevenOptions options{.imbalance = 1};
  const Site site{.rank = 2, .ranks = 3, .count = 100, .elements = 100, .element_bytes = 4};
  const Contents contents = AlltoallvUneven::contents(site, options);
  ASSERT_EQ(contents.sent.size(), 3U);
  EXPECT_EQ(contents.sent[0].elements, 0);
  EXPECT_EQ(contents.sent[2].start_bytes, 400);
  EXPECT_EQ(contents.sent[2].elements, 200);
  EXPECT_EQ(contents.received[1].start_bytes, 800);
  EXPECT_EQ(contents.received[1].elements, 200);
  EXPECT_EQ(contents.received[1].from, 1);
  EXPECT_EQ(contents.received[1].key, 2);
  const Memory memory = AlltoallvUneven::memory({.bytes = 400, .ranks = 3, .element_bytes = 4}, options);
  EXPECT_EQ(memory.send_bytes, 1200);
  EXPECT_EQ(memory.receive_bytes, 2400);
}

}  // namespace
}  // namespace groma
