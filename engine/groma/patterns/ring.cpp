#include "groma/patterns/ring.hpp"

namespace groma {

Partners partners_of(int rank, int lane, int targets) {
  const int place = rank % lane;
  const auto at = [&](int distance) { return rank - place + (place + lane + distance) % lane; };
  Partners found;
  for (int distance = 1; distance <= targets / 2; ++distance) {
    for (const int side : {distance, -distance}) found.targets.push_back(at(side));
  }
  found.sources = found.targets;
  if (targets % 2 != 0) {
    const int opposite = lane % 2 == 0 ? lane / 2 : targets / 2 + 1;
    found.targets.push_back(at(opposite));
    found.sources.push_back(at(-opposite));
  }
  return found;
}

}  // namespace groma
