// What the small applications must have computed (operations/applications.hpp), in whole numbers.
#include "groma/buffers/element_value.hpp"
#include "groma/buffers/payload.hpp"
#include "groma/buffers/tile.hpp"

namespace groma {

/// The element at `place` of this rank's rows of the transposed array: rows of the one are columns of the other.
std::int64_t Payload::transposed(std::int64_t place, int trial) const {
  const std::int64_t tile = layout_.elements();
  const std::int64_t rows = tile_rows(tile);
  const std::int64_t columns = tile / rows;
  const std::int64_t row = place / (site_.ranks * rows);
  const std::int64_t column = place % (site_.ranks * rows);
  const std::int64_t before = column % rows * site_.ranks * columns + site_.rank * columns + row;
  return element_value(static_cast<int>(column / rows), before / tile, trial, before % tile);
}

/// Twice an element of the vector less its neighbours, which at the ends are other ranks'.
std::int64_t Payload::laplacian(int rank, std::int64_t element, int trial) const {
  const std::int64_t last = layout_.elements() - 1;
  const int left = (rank + site_.ranks - 1) % site_.ranks;
  const int right = (rank + 1) % site_.ranks;
  const std::int64_t before =
      element > 0 ? element_value(rank, 0, trial, element - 1) : element_value(left, 0, trial, last);
  const std::int64_t after =
      element < last ? element_value(rank, 0, trial, element + 1) : element_value(right, 0, trial, 0);
  return 2 * element_value(rank, 0, trial, element) - before - after;
}

std::int64_t Payload::gradient_step(std::int64_t element, int trial) const {
  if (products_.trial != trial) {
    products_ = {.trial = trial};
    for (int rank = 0; rank < site_.ranks; ++rank) {
      for (std::int64_t i = 0; i < layout_.elements(); ++i) {
        const std::int64_t own = element_value(rank, 0, trial, i);
        products_.with_laplacian += own * laplacian(rank, i, trial);
        products_.with_itself += own * own;
      }
    }
  }
  const std::int64_t own = element_value(site_.rank, 0, trial, element);
  return products_.with_laplacian * own + laplacian(site_.rank, element, trial) + products_.with_itself;
}

}  // namespace groma
