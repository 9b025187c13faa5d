// Lengths and starts of the blocks of a v-collective, one block for every rank.
#pragma once

#include <numeric>
#include <utility>
#include <vector>

#include "groma/operations/traffic.hpp"

namespace groma {

class Blocks {
 public:
  Blocks() = default;
  /// One message for every rank.
  explicit Blocks(const Site& site) : Blocks(std::vector<int>(static_cast<std::size_t>(site.ranks), site.count)) {}
  /// Blocks of these lengths, one behind the other.
  explicit Blocks(std::vector<int> counts) : counts_(std::move(counts)), starts_(counts_.size()) {
    std::exclusive_scan(counts_.begin(), counts_.end(), starts_.begin(), 0);
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
