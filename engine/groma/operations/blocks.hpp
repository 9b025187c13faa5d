// Lengths and starts of the blocks of a v-collective, one block for every rank, all of one message.
#pragma once

#include <vector>

#include "groma/operations/traffic.hpp"

namespace groma {

class Blocks {
 public:
  Blocks() = default;
  explicit Blocks(const Site& site)
      : counts_(static_cast<std::size_t>(site.ranks), site.count), starts_(static_cast<std::size_t>(site.ranks)) {
    for (int rank = 0; rank < site.ranks; ++rank) {
      starts_[static_cast<std::size_t>(rank)] = rank * site.count;
    }
  }
  [[nodiscard]] const int* counts() const noexcept { return counts_.data(); }
  [[nodiscard]] const int* starts() const noexcept { return starts_.data(); }

 private:
  std::vector<int> counts_;
  std::vector<int> starts_;
};

/// A v-collective in which a rank's own block does not travel.
struct WithLengths : BlocksOfOthers {
  Blocks blocks;
  void open() { blocks = Blocks(site); }
};

}  // namespace groma
