// The value of every element of a payload: a whole number that depends on sender, receiver, trial and position.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "groma/buffers/element.hpp"

namespace groma {

/// What the values of a message have in common: that which `from` addresses to `to` (0 if everyone gets the same) in
/// `trial`.
constexpr std::uint32_t message_seed(int from, std::int64_t to, int trial) {
  const std::uint32_t mixed = static_cast<std::uint32_t>(from) * 0x85EBCA77U +
                              static_cast<std::uint32_t>(to) * 0xC2B2AE3DU +
                              static_cast<std::uint32_t>(trial) * 0x27D4EB2FU;
  return mixed ^ (mixed >> 15U);
}

/// Element `index` of the message with this seed: 64 to 127.
constexpr std::uint32_t seeded_value(std::uint32_t seed, std::uint32_t index) {
  std::uint32_t mixed = seed + index * 0x9E3779B1U;
  mixed = (mixed ^ (mixed >> 13U)) * 0xC2B2AE35U;
  return 64U + (mixed >> 26U);
}

/// Element `index` of a message, by itself.
constexpr std::int64_t element_value(int from, std::int64_t to, int trial, std::int64_t index) {
  return seeded_value(message_seed(from, to, trial), static_cast<std::uint32_t>(index));
}

/// The elements of a message from `first` on. The loop has no branch and no call, so that compilers vectorise it.
template <class Element>
void element_values(int from, std::int64_t to, int trial, std::int64_t first, std::span<Element> values) {
  constexpr std::int64_t part_elements = std::int64_t{1} << 32;  // of another seed than the part before
  const auto part = static_cast<std::uint32_t>(first / part_elements);
  const std::uint32_t seed = message_seed(from, to, trial) ^ part * 0x85EBCA77U;
  const auto offset = static_cast<std::uint32_t>(first);
  const auto left = static_cast<std::size_t>(part_elements - offset);
  if (values.size() > left) element_values(from, to, trial, first + (part_elements - offset), values.subspan(left));
  const std::size_t count = std::min(values.size(), left);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = element_of<Element>(seeded_value(seed, offset + static_cast<std::uint32_t>(i)));
  }
  if constexpr (is_pair<Element>) {
    for (std::size_t i = 0; i < count; ++i)
      values[i].place += 256 * from;  // tells ranks apart whose values are the same
  }
}

}  // namespace groma
