// Who takes part in a point. Members are world ranks in the order of their ranks in the operation's communicator; where
// the parties are pairs, each two neighbours in that order are a pair.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "groma/info.hpp"
#include "groma/plan/point.hpp"

namespace groma {

struct PatternFacts {
  std::string_view name;
  std::string_view argument;  ///< "", "k", "seed" or "ranks"
  std::string_view summary;
};

const std::vector<PatternFacts>& patterns();

/// The members of a point among `world_ranks` launched ranks. Before the nodes are known (`node_of_rank` empty)
/// patterns that need them, and patterns that must be searched for (search.hpp), give other ranks in place of the final
/// ones. Throws InputError if they can't be had.
std::vector<int> members_of(const Info& info, const Point& point, int world_ranks,
                            std::span<const int> node_of_rank = {});

/// Members of one ring of a group, if ranks have targets: rings stand one behind the other in the group.
int lane_of(const Point& point, const std::vector<int>& group, std::span<const int> node_of_rank);

}  // namespace groma
