#include "groma/operations/neighbours.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>

#include "groma/errors.hpp"

namespace groma {
namespace {

using Messages = std::vector<std::pair<int, int>>;  ///< from one rank to another

/// Those that ranks send, and those that ranks expect, each in order.
std::pair<Messages, Messages> messages_of(const NeighbourOptions& options, int ranks) {
  std::pair<Messages, Messages> both;
  for (int rank = 0; rank < ranks; ++rank) {
    const Neighbours neighbours = neighbours_of(options, ranks, rank);
    for (const int to : neighbours.destinations) both.first.emplace_back(rank, to);
    for (const int from : neighbours.sources) both.second.emplace_back(from, rank);
  }
  std::ranges::sort(both.first);
  std::ranges::sort(both.second);
  return both;
}

std::int64_t most_of(const NeighbourOptions& options, int ranks) {
  std::size_t most = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const Neighbours neighbours = neighbours_of(options, ranks, rank);
    most = std::max({most, neighbours.sources.size(), neighbours.destinations.size()});
  }
  return static_cast<std::int64_t>(most);
}

TEST(Neighbours, WhatIsSentIsWhatIsExpected) {
  for (int ranks = 2; ranks <= 13; ++ranks) {
    for (int dimensions = 1; dimensions <= 3; ++dimensions) {
      for (int radius = 1; radius <= 3; ++radius) {
        NeighbourOptions options;
        options.graph = Graph::distributed;
        options.dimensions = dimensions;
        options.radius = radius;
        const auto [sent, expected] = messages_of(options, ranks);
        EXPECT_EQ(sent, expected) << ranks << " ranks, " << dimensions << " dimensions, radius " << radius;
        EXPECT_EQ(sent.size(), static_cast<std::size_t>(2 * dimensions * radius * ranks));
        EXPECT_EQ(most_neighbours(options, ranks), most_of(options, ranks));
      }
    }
  }
}

TEST(Neighbours, OfARandomGraphAreAsManyAsAskedAndOthersForEveryRank) {
  for (int ranks = 3; ranks <= 40; ++ranks) {
    NeighbourOptions options;
    options.graph = Graph::random;
    options.degree = 2;
    const auto [sent, expected] = messages_of(options, ranks);
    EXPECT_EQ(sent, expected);
    EXPECT_EQ(sent.size(), static_cast<std::size_t>(2 * ranks));
    EXPECT_EQ(std::ranges::adjacent_find(sent), sent.end()) << "no message is sent twice";
    EXPECT_EQ(std::ranges::count_if(sent, [](const auto& one) { return one.first == one.second; }), 0);
    EXPECT_EQ(most_neighbours(options, ranks), most_of(options, ranks));
  }
}

TEST(Neighbours, OnAGridOfFourByThreeStandBesideEachOther) {
  NeighbourOptions options;
  options.graph = Graph::distributed;
  options.dimensions = 2;
  options.radius = 2;  // rank 5 stands at (1, 2)
  EXPECT_EQ(neighbours_of(options, 12, 5).destinations, (std::vector<int>{2, 8, 11, 11, 4, 3, 3, 4}));
}

TEST(Neighbours, OfAFileAreThoseOfItsEdges) {
  // Each rank has a file of its own: another would read one that is half written.
  const std::string path = testing::TempDir() + "groma-edges-" + std::to_string(getpid());
  std::ofstream(path) << "0 1\n0 2 # far\n\n2 0\n2 0\n1 1\n";
  NeighbourOptions options;
  options.graph = Graph::file;
  options.graph_file = path;
  EXPECT_EQ(neighbours_of(options, 3, 0).destinations, (std::vector<int>{1, 2}));
  EXPECT_EQ(neighbours_of(options, 3, 0).sources, (std::vector<int>{2, 2}));
  EXPECT_EQ(most_neighbours(options, 3), most_of(options, 3));
  EXPECT_EQ(messages_to_others(options, 3), 4);
}

TEST(Neighbours, RefuseWhatNoGraphHas) {
  NeighbourOptions far;
  far.radius = 2;
  const Settings none;
  const Request request{.operation = "neighbor_alltoall", .ranks = 4, .settings = none};
  EXPECT_THROW(check_neighbours(request, far), InputError);
  NeighbourOptions many;
  many.graph = Graph::random;
  many.degree = 4;
  EXPECT_THROW(check_neighbours(request, many), UnfitError);
  many.degree = 3;
  EXPECT_NO_THROW(check_neighbours(request, many));
}

}  // namespace
}  // namespace groma
