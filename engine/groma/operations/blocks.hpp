// Lengths and starts of the blocks of a v-collective, one block for every rank.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "groma/operations/calls.hpp"
#include "groma/operations/traffic.hpp"

namespace groma {

/// Counts and starts beyond int are in the lists for large messages alone.
class Blocks {
 public:
  using Lengths = std::vector<std::int64_t>;
  Blocks() = default;
  /// One message for every rank.
  explicit Blocks(const Site& site) : Blocks(Lengths(static_cast<std::size_t>(site.ranks), site.counted.number)) {}
  /// Blocks of these lengths, one behind the other.
  explicit Blocks(const Lengths& lengths) : counts_(lengths.begin(), lengths.end()), starts_(lengths.size()) {
    std::exclusive_scan(lengths.begin(), lengths.end(), starts_.begin(), MPI_Aint{0});
    for (const MPI_Count count : counts_) small_counts_.push_back(static_cast<int>(count));
    for (const MPI_Aint start : starts_) small_starts_.push_back(static_cast<int>(start));
  }
  [[nodiscard]] CountedList counts() const noexcept { return {small_counts_.data(), counts_.data()}; }
  [[nodiscard]] StartList starts() const noexcept { return {small_starts_.data(), starts_.data()}; }

 private:
  std::vector<MPI_Count> counts_;
  std::vector<MPI_Aint> starts_;
  std::vector<int> small_counts_;
  std::vector<int> small_starts_;
};

/// A v-collective in which a rank's own block does not travel.
struct WithLengths : BlocksOfOthers {
  Blocks blocks;
  void open() { blocks = Blocks(site); }
};

}  // namespace groma
