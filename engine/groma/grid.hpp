// A periodic grid of ranks, as MPI_Cart_create without reordering makes it.
#pragma once

#include <array>

namespace groma {

/// Where one rank stands in it. Face 2d looks backwards in dimension d and face 2d + 1 forwards; the order is that of
/// MPI's neighbourhood collectives (MPI-4.1, 8.6).
struct Grid {
  int dimensions = 0;
  std::array<int, 3> lengths{1, 1, 1};
  std::array<int, 6> neighbours{};

  [[nodiscard]] constexpr int faces() const { return 2 * dimensions; }
  /// Dimensions along which the neighbours are other ranks.
  [[nodiscard]] constexpr int dimensions_with_others() const {
    int count = 0;
    for (const int length : lengths) count += length > 1 ? 1 : 0;
    return count;
  }
  /// Both faces of this one's dimension look at the same rank.
  [[nodiscard]] constexpr bool folded(int face) const { return lengths[static_cast<std::size_t>(face / 2)] <= 2; }
};

/// The grid that MPI_Dims_create gives for a number of ranks, seen from one of them. Needs no communicator.
Grid grid_of(int ranks, int rank, int dimensions);

}  // namespace groma
