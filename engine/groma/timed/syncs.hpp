// The synchronisations as plain functions, by clock and name: for what runs outside the timed loops.
#pragma once

#include <cstddef>

#include "groma/plan/choices.hpp"
#include "groma/sync/sync.hpp"

namespace groma {

struct SyncCalls {
  void (*wait)(const Meeting&, std::int64_t repetition) noexcept;
  bool (*after)(const Meeting&, std::int64_t repetition) noexcept;
};

/// Where a clock stands in `Clocks`, and a synchronisation in `Syncs`. `automatic` must have been settled before.
constexpr std::size_t clock_index(method::Clock clock) { return static_cast<std::size_t>(clock); }
constexpr std::size_t sync_index(method::Sync sync) { return static_cast<std::size_t>(sync); }
SyncCalls sync_calls(std::size_t clock, std::size_t sync);

}  // namespace groma
