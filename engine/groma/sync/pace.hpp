// How a repetition is started at an agreed time: what the window and round-time synchronisations need of a rank.
#pragma once

#include <cstdint>

namespace groma {

/// Global nanoseconds to raw ticks of this rank's clock and back, in the few operations that a loop can afford.
struct TickLine {
  double ticks_per_ns = 1;
  std::int64_t epoch_ticks = 0;
  std::int64_t epoch_global_ns = 0;

  [[nodiscard]] std::int64_t to_ticks(std::int64_t global_ns) const noexcept {
    return epoch_ticks + static_cast<std::int64_t>(static_cast<double>(global_ns - epoch_global_ns) * ticks_per_ns);
  }
  [[nodiscard]] std::int64_t to_global_ns(std::int64_t ticks) const noexcept {
    return epoch_global_ns + static_cast<std::int64_t>(static_cast<double>(ticks - epoch_ticks) / ticks_per_ns);
  }
};

/// The agreed starts of a batch, as this rank sees them.
struct Pace {
  TickLine line;
  std::int64_t lead_ns = 0;                 ///< round time: how far ahead the next start is set
  std::int64_t deadline_ticks = INT64_MAX;  ///< round time: no repetition starts after this
  const std::int64_t* begin = nullptr;      ///< window: ticks at which each repetition starts
  const std::int64_t* delay = nullptr;      ///< ticks that this rank arrives after the agreed start, by repetition
  std::int64_t* late = nullptr;             ///< by how many ticks a repetition missed its start; 0 if it did not
};

}  // namespace groma
