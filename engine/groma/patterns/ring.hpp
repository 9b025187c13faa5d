// Which rank is whose target, if an operation has several.
#pragma once

#include <vector>

namespace groma {

struct Partners {
  std::vector<int> targets;  ///< ranks that a rank sends to
  std::vector<int> sources;  ///< ranks that it receives from, as many
};

/// Members stand in rings of `lane` ranks, one ring behind the other; each sends to the `targets` nearest of its ring,
/// half of them on either side, and to the one opposite where `targets` is odd. A rank's targets are its sources too,
/// but for the last where both `lane` and `targets` are odd: then not everyone can have a partner. targets < lane.
Partners partners_of(int rank, int lane, int targets);

}  // namespace groma
