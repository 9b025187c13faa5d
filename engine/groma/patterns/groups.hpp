// The communicators into which the participating ranks are divided. If there are several, all run the operation at
// once.
#pragma once

#include <span>
#include <vector>

#include "groma/patterns/pattern.hpp"

namespace groma {

const std::vector<PatternFacts>& communicators();

/// One communicator's members: world ranks in the order of their ranks in it.
using Group = std::vector<int>;

/// The communicators of a point. Before the nodes are known (`node_of_rank` empty), `node` and `leaders` stand for the
/// most that they can be: everyone. Throws InputError if they can't be had.
std::vector<Group> groups_of(const Info& info, const Point& point, int world_ranks,
                             std::span<const int> node_of_rank = {});

}  // namespace groma
