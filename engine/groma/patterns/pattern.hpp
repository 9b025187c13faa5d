// Who takes part in a point. Members are world ranks in the order of their ranks in the operation's communicator; where
// the parties are pairs, each two neighbours in that order are a pair.
#pragma once

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

/// The members of a point among `world_ranks` launched ranks. Throws InputError where they can't be had. For a pattern
/// that must be searched for (search.hpp) they stand for the pair that will be found.
std::vector<int> members_of(const Info& info, const Point& point, int world_ranks);

}  // namespace groma
