#include "groma/grid.hpp"

#include <mpi.h>

namespace groma {

Grid grid_of(int ranks, int rank, int dimensions) {
  Grid grid{.dimensions = dimensions};
  std::array<int, 3> lengths{0, 0, 0};
  MPI_Dims_create(ranks, dimensions, lengths.data());
  // The last dimension varies fastest (MPI-4.1, 8.5.1).
  int stride = 1;
  for (int d = dimensions - 1; d >= 0; --d) {
    const auto at = static_cast<std::size_t>(d);
    const int length = grid.lengths[at] = lengths[at];
    const int place = rank / stride % length;
    const int base = rank - place * stride;
    grid.neighbours[2 * at] = base + (place + length - 1) % length * stride;
    grid.neighbours[2 * at + 1] = base + (place + 1) % length * stride;
    stride *= length;
  }
  return grid;
}

}  // namespace groma
