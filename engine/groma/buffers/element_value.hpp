// The value of every element of a payload: a whole number that depends on sender, receiver, trial and position.
#pragma once

#include <cstdint>

namespace groma {

/// Element `index` of the message that `from` addresses to `to` (0 where everyone gets the same) in `trial`: 64 to 127.
constexpr std::int64_t element_value(int from, std::int64_t to, int trial, std::int64_t index) {
  std::uint32_t mixed = static_cast<std::uint32_t>(from) * 0x85EBCA77U + static_cast<std::uint32_t>(to) * 0xC2B2AE3DU +
                        static_cast<std::uint32_t>(trial) * 0x27D4EB2FU;
  mixed = (mixed ^ (mixed >> 15U)) + static_cast<std::uint32_t>(index) * 0x9E3779B1U;
  mixed = (mixed ^ (mixed >> 13U)) * 0xC2B2AE35U;
  return 64 + (mixed >> 26U);
}

}  // namespace groma
