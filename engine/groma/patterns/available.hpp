// The ranks that a pattern is laid over, and those that are split off from them to load the network.
#pragma once

#include <span>
#include <vector>

#include "groma/plan/point.hpp"

namespace groma {

struct Split {
  std::vector<int> measured;
  std::vector<int> loading;  ///< none without a load
};

/// Of the first `ranks` world ranks, and of those the first `ranks_per_node` of every node, each in ascending order.
/// Throws UnfitError if there are too few of them.
Split available(const Point& point, int ranks, std::span<const int> node_of_rank);

/// Those that load among `world_ranks` launched ranks.
std::vector<int> loading_ranks(const Point& point, int world_ranks, std::span<const int> node_of_rank);

}  // namespace groma
