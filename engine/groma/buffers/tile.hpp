// How a transposition cuts a rank's rows of a two-dimensional array: one tile of equal shape for every rank.
#pragma once

#include <cstdint>

namespace groma {

/// Rows of a tile of a number of elements: the largest divisor that leaves it no higher than wide. The array has that
/// many rows a rank, and after the transposition as many columns.
constexpr std::int64_t tile_rows(std::int64_t elements) {
  std::int64_t rows = 1;
  for (std::int64_t divisor = 1; divisor * divisor <= elements; ++divisor) {
    if (elements % divisor == 0) rows = divisor;
  }
  return rows;
}

}  // namespace groma
