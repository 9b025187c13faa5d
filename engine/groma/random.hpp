// Random numbers that are the same on every rank, machine and library: SplitMix64.
#pragma once

#include <cstdint>

namespace groma {

inline std::uint64_t next_random(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15;
  std::uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EB;
  return mixed ^ (mixed >> 31U);
}

}  // namespace groma
