#include "groma/operations/applications.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "groma/buffers/payload.hpp"
#include "groma/plan/fields.hpp"
#include "known.hpp"

namespace groma {
namespace {

using Numbers = std::vector<double>;

/// The ranks of a small application played by one process: what they send is read, what they would get is worked out
/// here in another way, and handed to the check.
class SomeRanks {
 public:
  SomeRanks(const Info& info, int ranks, int elements) : point_(default_point(info)) {
    point_.bytes = std::int64_t{8} * elements;
    for (int rank = 0; rank < ranks; ++rank) {
      Site site;
      site.rank = rank;
      site.ranks = ranks;
      site.left = (rank + ranks - 1) % ranks;
      site.right = (rank + 1) % ranks;
      site.count = elements;
      site.elements = elements;
      site.message_bytes = point_.bytes;
      arenas_.emplace_back(needs(info, point_, ranks));
      // What a halo exchange says of itself, without MPI_Dims_create, which needs MPI to have been started.
      const Grid line{.dimensions = 1, .lengths = {ranks, 1, 1}, .neighbours = {site.left, site.right}};
      const Contents contents = info.send == Size::stated ? Halo::contents_on(line, site) : Contents{};
      payloads_.push_back(payload_of(info, point_, site, lay_out(arenas_.back(), point_), contents));
      payloads_.back().fill(trial, 0);
    }
  }

  [[nodiscard]] int size() const { return static_cast<int>(payloads_.size()); }
  [[nodiscard]] const double* sent(int rank) const { return reinterpret_cast<const double*>(arrays(rank).send); }
  [[nodiscard]] bool holds(int rank) const { return !payloads_[static_cast<std::size_t>(rank)].verify(trial, 0); }

  /// The check of every rank passes for `result(rank)`, and for no result in which one number is another.
  void expect(const std::function<Numbers(int)>& result) {
    for (int rank = 0; rank < size(); ++rank) {
      EXPECT_FALSE(holds(rank)) << "nothing was computed yet";
      const Numbers right = result(rank);
      auto* found = reinterpret_cast<double*>(arrays(rank).receive);
      std::copy(right.begin(), right.end(), found);
      EXPECT_TRUE(holds(rank)) << "rank " << rank;
      for (std::size_t i = 0; i < right.size(); ++i) {
        found[i] += 1;
        EXPECT_FALSE(holds(rank)) << "rank " << rank << ", element " << i;
        found[i] -= 1;
      }
    }
  }

 private:
  static constexpr int trial = 3;
  [[nodiscard]] Arrays arrays(int rank) const { return lay_out(arenas_[static_cast<std::size_t>(rank)], point_); }

  Point point_;
  std::vector<Arena> arenas_;
  std::vector<Payload> payloads_;
};

TEST(Applications, TheHaloIsTheNeighboursFacePlusTheOwnOne) {
  constexpr int elements = 5;
  SomeRanks ranks(HaloApplication::info, 3, elements);
  ranks.expect([&](int rank) {
    Numbers faces;
    for (int face = 0; face < 2; ++face) {
      const int neighbour = (rank + (face == 0 ? 2 : 1)) % 3;
      for (int i = 0; i < elements; ++i) {
        faces.push_back(ranks.sent(neighbour)[(1 - face) * elements + i] + ranks.sent(rank)[face * elements + i]);
      }
    }
    return faces;
  });
}

TEST(Applications, ATileIsNoHigherThanWide) {
  EXPECT_EQ(tile_rows(1), 1);
  EXPECT_EQ(tile_rows(7), 1);
  EXPECT_EQ(tile_rows(36), 6);
  EXPECT_EQ(tile_rows(512), 16);
}

TEST(Applications, RowsOfTheTransposeAreColumnsBefore) {
  for (const int elements : {1, 6, 9, 7}) {
    const int rows = static_cast<int>(tile_rows(elements));
    const int columns = elements / rows;
    SomeRanks ranks(TransposeApplication::info, 3, elements);
    const int width = ranks.size() * columns;
    ranks.expect([&](int rank) {
      Numbers own;
      for (int column = rank * columns; column < (rank + 1) * columns; ++column) {
        for (int row = 0; row < ranks.size() * rows; ++row) {
          own.push_back(ranks.sent(row / rows)[row % rows * width + column]);
        }
      }
      return own;
    });
  }
}

TEST(Applications, AStepOfTheSolverIsThatOfTheWholeVector) {
  for (const int elements : {1, 2, 6}) {
    SomeRanks ranks(GradientApplication::info, 3, elements);
    Numbers whole;
    for (int rank = 0; rank < ranks.size(); ++rank) {
      whole.insert(whole.end(), ranks.sent(rank), ranks.sent(rank) + elements);
    }
    const std::size_t n = whole.size();
    Numbers product(n);
    double with_matrix = 0;
    double with_itself = 0;
    for (std::size_t i = 0; i < n; ++i) {
      product[i] = 2 * whole[i] - whole[(i + n - 1) % n] - whole[(i + 1) % n];
      with_matrix += whole[i] * product[i];
      with_itself += whole[i] * whole[i];
    }
    ranks.expect([&](int rank) {
      Numbers own;
      for (int i = 0; i < elements; ++i) {
        const auto at =
            static_cast<std::size_t>(rank) * static_cast<std::size_t>(elements) + static_cast<std::size_t>(i);
        own.push_back(with_matrix * whole[at] + product[at] + with_itself);
      }
      return own;
    });
  }
}

}  // namespace
}  // namespace groma
