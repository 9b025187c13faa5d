#include "groma/measure/roots.hpp"

#include <algorithm>

#include "groma/random.hpp"

namespace groma {

void Roots::schedule(std::int64_t count) {
  if (rooted_) {
    const auto ranks = static_cast<std::uint64_t>(ranks_);
    const auto first = static_cast<std::uint64_t>(point_.root_rank);
    roots_.resize(std::max(roots_.size(), static_cast<std::size_t>(count)));
    for (std::int64_t i = 0; i < count; ++i) {
      std::uint64_t root = first;
      if (point_.root == method::Root::rotate) root = (first + static_cast<std::uint64_t>(calls_made_ + i)) % ranks;
      if (point_.root == method::Root::random) root = next_random(state_) % ranks;
      roots_[static_cast<std::size_t>(i)] = static_cast<int>(root);
    }
  }
  calls_made_ += count;
}

}  // namespace groma
