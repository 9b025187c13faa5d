// What a rank puts into a message, what a reduction makes of the messages of all ranks, and what receive arrays hold
// before. Each is chosen so that a result that still contains old contents is another one, in every type.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "groma/buffers/element_value.hpp"
#include "groma/info.hpp"
#include "groma/plan/point.hpp"

namespace groma {

/// Number of elements made at once: few enough for the first-level cache.
inline constexpr std::int64_t chunk_elements = 512;

template <class Element>
using Chunk = std::array<Element, chunk_elements>;

class Operands {
 public:
  Operands(const Info& info, const Point& point, int ranks)
      : reduction_(info.reduces ? std::optional(point.reduction) : std::nullopt),
        operands_(info.result == Result::reduced_own ? 2 : ranks) {}

  /// The elements, from `first` on, of what `from` sends to `to`.
  template <class Element>
  void of(int from, std::int64_t to, int trial, std::int64_t first, std::span<Element> values) const {
    element_values(from, to, trial, first, values);
    keep_sum_exact(from, values);
    bound(to, trial, first, values);
  }

  /// The reduction of what the first `ranks` ranks contribute. It is made in the type of the elements, as MPI's is.
  template <class Element>
  void reduced(int ranks, int block, std::int64_t first, int trial, std::span<Element> values) const {
    of(0, block, trial, first, values);
    for (int rank = 1; rank < ranks; ++rank) reduce_with(rank, block, first, trial, values);
  }

  /// That of what two of them contribute.
  template <class Element>
  void reduced_with(int one, int other, std::int64_t first, int trial, std::span<Element> values) const {
    of(one, 0, trial, first, values);
    reduce_with(other, 0, first, trial, values);
  }

  /// Reduces these values with what `rank` contributes.
  template <class Element>
  void reduce_with(int rank, int block, std::int64_t first, int trial, std::span<Element> values) const {
    Chunk<Element> chunk;
    const std::span<Element> next = std::span(chunk).first(values.size());
    of(rank, block, trial, first, next);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = combined(values[i], next[i]);
  }

  /// What every element of a receive array is before a message arrives. No byte of it is one of a message. With each
  /// reduction, this and any result make something else than that result: it is beyond every maximum or minimum, has
  /// not the bit that every bitwise AND has, and is too near to a sum to be lost when the sum is rounded.
  template <class Element>
  [[nodiscard]] Element old_contents() const {
    if constexpr (is_complex<Element>) {
      const auto part = old_contents<typename Element::value_type>();
      return {part, part};
    }
    if constexpr (is_pair<Element>) {
      const auto value = old_contents<decltype(Element::value)>();
      return {reduction_ == payload::Reduction::minloc ? -value : value, 0x2A2A2A2A};
    }
    if constexpr (std::is_same_v<Element, Float16>) return Float16::of_bits(0x612A);                   // 661
    if constexpr (std::is_same_v<Element, BFloat16>) return BFloat16::of_bits(0x442B);                 // 684
    if constexpr (std::is_same_v<Element, float>) return std::bit_cast<float>(0x442A2A2AU);            // 680.66
    if constexpr (std::is_same_v<Element, double>) return std::bit_cast<double>(0x412A2A2A2A2A2A2AU);  // 857365.08
    if constexpr (std::is_same_v<Element, std::int32_t>) return 0x2A2A2A2A;
    if constexpr (std::is_same_v<Element, std::int64_t>) return 0x2A2A2A2A2A2A2A2A;
    if constexpr (std::is_integral_v<Element>) {
      return static_cast<Element>(reduction_ == payload::Reduction::max ? 0x7F : 0xAA);
    }
  }

 private:
  /// A sum of chars stays below 128: beyond that, some libraries wrap around and others saturate, and neither is wrong.
  /// One of short floating-point numbers stays exact, in whatever order a library adds them.
  template <class Element>
  void keep_sum_exact(int from, std::span<Element> values) const {
    constexpr bool is_short = is_short_float<Element>;
    if constexpr (is_short || std::is_same_v<Element, char>) {
      if (reduction_ != payload::Reduction::sum && reduction_ != payload::Reduction::user) return;
      constexpr int largest = [] {
        if constexpr (is_short) return Element::largest_exact;
        return 127;
      }();
      const int below = from < largest ? largest / std::min(operands_, largest) + 1 : 1;
      for (Element& value : values) value = element_of<Element>(static_cast<int>(number_of(value)) % below);
    }
  }

  /// No operand exceeds the maximum, or lacks a bit of the AND, that is chosen for its place. Without that, results of
  /// many ranks would be the same number everywhere, and one in a wrong place would pass.
  template <class Element>
  void bound(std::int64_t to, int trial, std::int64_t first, std::span<Element> values) const {
    constexpr int nobody = -1;
    const std::uint32_t seed = message_seed(nobody, to, trial);
    const auto chosen = [&](std::size_t i) {
      return seeded_value(seed, static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(i));
    };
    if (reduction_ == payload::Reduction::max) {
      constexpr std::uint32_t below_127 = 126;
      if constexpr (is_ordered<Element>) {
        for (std::size_t i = 0; i < values.size(); ++i) {
          values[i] = std::min(values[i], element_of<Element>(chosen(i) & below_127));
        }
      }
    }
    if constexpr (std::is_integral_v<Element>) {
      if (reduction_ != payload::Reduction::band) return;
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<Element>(values[i] | chosen(i));
    }
  }

  template <class Element>
  [[nodiscard]] Element combined(const Element& one, const Element& other) const {
    using payload::Reduction;
    if constexpr (is_pair<Element>) {
      if (one.value == other.value) return one.place < other.place ? one : other;
      return (one.value < other.value) == (reduction_ == Reduction::minloc) ? one : other;
    } else {
      if (reduction_ == Reduction::sum || reduction_ == Reduction::user) return static_cast<Element>(one + other);
      if constexpr (is_ordered<Element>) {
        if (reduction_ == Reduction::max) return std::max(one, other);
      }
      if constexpr (std::is_integral_v<Element>) return static_cast<Element>(one & other);
      return one;
    }
  }

  std::optional<payload::Reduction> reduction_;  ///< nothing: no operation that reduces
  int operands_;                                 ///< of one result, at most
};

}  // namespace groma
