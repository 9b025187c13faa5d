// Small applications, for the ALCF suite has such beside its micro-benchmarks: what a solver sends, and the arithmetic
// around it, on doubles. Their numbers are whole, so that every element of a result is known exactly.
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "groma/buffers/tile.hpp"
#include "groma/operations/halo.hpp"
#include "groma/operations/traffic.hpp"

namespace groma {

/// Faces travel while the inner layers of a block are swept; then the faces that arrived are added to the own ones.
struct HaloApplication : Halo {
  static constexpr Info info = [] {
    Info own =
        named(common, "app/halo", "Halo exchange, a sweep of the block's inner layers during it, then its faces.",
              "MPI_Irecv, MPI_Isend, MPI_Waitall");
    own.result = Result::stated_plus_own;
    own.validation = "every element of a face is the sum of the neighbour's and this rank's own, recomputed";
    own.on_doubles = true;
    own.touches = false;  // it computes with its messages itself
    own.time = "one exchange through all faces and the work on the block";
    return own;
  }();
  static constexpr int layers = 16;  ///< of the block, each as large as a face
  std::vector<double> block;
  std::vector<double> swept;

  void open() {
    Halo::open();
    block.assign(static_cast<std::size_t>(layers) * static_cast<std::size_t>(site.count), 1.0);
    swept = block;
  }
  void step() noexcept {
    const int faces = grid.faces();
    for (int face = 0; face < faces; ++face) irecv(face, requests.data() + face);
    for (int face = 0; face < faces; ++face) isend(face, requests.data() + faces + face);
    sweep();
    MPI_Waitall(2 * faces, requests.data(), MPI_STATUSES_IGNORE);
    for (int face = 0; face < faces; ++face) {
      auto* arrived = static_cast<double*>(buffers.slot(site, face));
      const auto* own = static_cast<const double*>(buffers.outgoing(site, face));
      for (int i = 0; i < site.count; ++i) arrived[i] += own[i];
    }
  }
  void sweep() noexcept {
    const auto layer = static_cast<std::size_t>(site.count);
    for (std::size_t i = layer; i < (layers - 1) * layer; ++i) {
      swept[i] = 0.25 * block[i - layer] + 0.5 * block[i] + 0.25 * block[i + layer];
    }
    std::swap(block, swept);
  }
};

/// As a two-dimensional Fourier transform: every rank has rows of an array, and then those of its transpose.
struct TransposeApplication : BlocksOfOthers {
  static constexpr Info info{.name = "app/transpose",
                             .summary = "A two-dimensional array, cut by rows, is transposed: packed, sent, unpacked.",
                             .calls = "MPI_Alltoall",
                             .send = Size::per_rank,
                             .receive = Size::per_rank,
                             .result = Result::transposed,
                             .on_doubles = true,
                             .time = "packing, one call, and unpacking",
                             .bandwidth = "sent by one rank to the others",
                             .bus = Bus::others};
  std::ptrdiff_t rows = 1;
  std::ptrdiff_t columns = 1;
  double scale = 1;  ///< as the transform's; unpacking is arithmetic with it, and no bare copy
  std::vector<double> packed;
  std::vector<double> arrived;

  void open() {
    rows = static_cast<std::ptrdiff_t>(tile_rows(site.count));
    columns = site.count / rows;
    packed.assign(static_cast<std::size_t>(site.ranks) * static_cast<std::size_t>(site.count), 0.0);
    arrived = packed;
  }
  void step() noexcept {
    const auto* own = static_cast<const double*>(buffers.send);
    const std::ptrdiff_t width = site.ranks * columns;
    double* tile = packed.data();
    for (std::ptrdiff_t rank = 0; rank < site.ranks; ++rank) {
      for (std::ptrdiff_t j = 0; j < columns; ++j) {
        for (std::ptrdiff_t i = 0; i < rows; ++i) *tile++ = own[i * width + rank * columns + j];
      }
    }
    MPI_Alltoall(packed.data(), site.count, site.type, arrived.data(), site.count, site.type, site.comm);
    auto* result = static_cast<double*>(buffers.receive);
    const double* from = arrived.data();
    for (std::ptrdiff_t rank = 0; rank < site.ranks; ++rank) {
      for (std::ptrdiff_t j = 0; j < columns; ++j) {
        double* row = result + j * site.ranks * rows + rank * rows;
        for (std::ptrdiff_t i = 0; i < rows; ++i) row[i] = scale * *from++;
      }
    }
  }
};

/// A step of a conjugate-gradient solver on a ring: neighbours' ends, the product with the matrix, two dot products.
struct GradientApplication : Placed {
  static constexpr Info info{.name = "app/conjugate_gradient",
                             .summary = "A step of a conjugate-gradient solver: ends to both neighbours, dot products.",
                             .calls = "MPI_Irecv, MPI_Isend, MPI_Waitall, MPI_Allreduce",
                             .min_ranks = 2,
                             .send = Size::message,
                             .receive = Size::message,
                             .result = Result::gradient_step,
                             .on_doubles = true,
                             .time = "one step: an exchange, two reductions, and the work on this rank's part"};
  static constexpr std::int64_t bytes_moved(const Shape&) { return 0; }
  std::array<MPI_Request, 4> requests{};

  void step() noexcept {
    const auto* p = static_cast<const double*>(buffers.send);
    auto* q = static_cast<double*>(buffers.receive);
    const int last = site.count - 1;
    double before = 0;
    double after = 0;
    MPI_Irecv(&before, 1, site.type, site.left, 0, site.comm, &requests[0]);
    MPI_Irecv(&after, 1, site.type, site.right, 1, site.comm, &requests[1]);
    MPI_Isend(p + last, 1, site.type, site.right, 0, site.comm, &requests[2]);
    MPI_Isend(p, 1, site.type, site.left, 1, site.comm, &requests[3]);
    for (int i = 1; i < last; ++i) q[i] = 2 * p[i] - p[i - 1] - p[i + 1];
    MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
    q[0] = 2 * p[0] - before - (last > 0 ? p[1] : after);
    if (last > 0) q[last] = 2 * p[last] - p[last - 1] - after;
    double with_matrix = 0;
    for (int i = 0; i <= last; ++i) with_matrix += p[i] * q[i];
    MPI_Allreduce(MPI_IN_PLACE, &with_matrix, 1, MPI_DOUBLE, MPI_SUM, site.comm);
    double with_itself = 0;
    for (int i = 0; i <= last; ++i) {
      q[i] += with_matrix * p[i];
      with_itself += p[i] * p[i];
    }
    MPI_Allreduce(MPI_IN_PLACE, &with_itself, 1, MPI_DOUBLE, MPI_SUM, site.comm);
    for (int i = 0; i <= last; ++i) q[i] += with_itself;
  }
};

using Applications = OperationList<HaloApplication, TransposeApplication, GradientApplication>;

}  // namespace groma
