// How the elements of a message lie in memory: contiguous, or chosen by a derived datatype with gaps between them that
// neither sender nor receiver may touch.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <span>

#include "groma/info.hpp"
#include "groma/plan/point.hpp"

namespace groma {

/// A way to lay elements out: of every `period` places, those at `selected` hold one.
struct LayoutRule {
  payload::Layout kind;
  std::int64_t period;
  std::span<const std::int64_t> selected;
};

inline constexpr std::array<std::int64_t, 1> first_place{0};
inline constexpr std::array<std::int64_t, 6> blocks_of_1_2_3{0, 2, 3, 5, 6, 7};
inline constexpr std::array<std::int64_t, 4> record_members{0, 2, 3, 4};

inline constexpr std::array<LayoutRule, 4> layout_rules{{{payload::Layout::contiguous, 1, first_place},
                                                         {payload::Layout::vector, 2, first_place},
                                                         {payload::Layout::indexed, 9, blocks_of_1_2_3},
                                                         {payload::Layout::records, 5, record_members}}};

class Layout {
 public:
  Layout(payload::Layout kind, std::int64_t elements, std::int64_t element_bytes);

  [[nodiscard]] bool contiguous() const { return period_ == 1; }
  [[nodiscard]] std::int64_t elements() const { return elements_; }
  /// Places that one message spans, gaps included.
  [[nodiscard]] std::int64_t places() const;
  [[nodiscard]] std::int64_t extent_bytes() const { return places() * element_bytes_; }
  /// The place of an element; elements are in the order of their places.
  [[nodiscard]] std::int64_t place(std::int64_t element) const;
  /// One datatype for the whole message, its extent that of all its places; committed, the caller frees it.
  [[nodiscard]] MPI_Datatype make(MPI_Datatype element) const;

 private:
  [[nodiscard]] MPI_Datatype indexed(MPI_Datatype element) const;
  [[nodiscard]] MPI_Datatype records(MPI_Datatype element) const;

  payload::Layout kind_;
  std::int64_t elements_;
  std::int64_t element_bytes_;
  std::int64_t period_ = 1;                 ///< number of places after which the choice repeats
  std::span<const std::int64_t> selected_;  ///< the places chosen in a period
};

Layout layout_of(const Point& point);

/// The most elements that the calls of most operations can count: an int's greatest. GROMA_LARGEST_COUNT is a smaller
/// one, for tests.
std::int64_t largest_count();
/// True if the messages of a point have more elements than these calls can count, for all `members` together if each
/// has a block.
bool exceeds_counts(const Info& info, const Point& point, std::int64_t members);
/// One datatype for so many contiguous elements; committed, the caller frees it.
MPI_Datatype make_contiguous(std::int64_t elements, MPI_Datatype element);

/// True if the messages of an operation can be of a derived datatype: one datatype describes a whole message, and
/// whoever computes with its elements wants them one behind the other.
constexpr bool has_layouts(const Info& info) {
  return info.send != Size::none && !info.in_parts && (!info.on_doubles || info.by_hand);
}

}  // namespace groma
