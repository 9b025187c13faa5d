// The synchronisations as functions that are called: by the timed loops outside their stamps, and before blocks. One
// function for each clock chooses among them, so that a loop is compiled once and not for each (docs/adr/0070).
#pragma once

#include <cstddef>
#include <tuple>

#include "groma/clock/clocks.hpp"
#include "groma/plan/choices.hpp"
#include "groma/sync/sync.hpp"

namespace groma {

/// Before the opening stamp of a repetition: brings the ranks together as the meeting says.
template <class Clock>
void synchronise_before(const Meeting& meeting, std::int64_t repetition) noexcept;

/// Behind its closing stamp: whether the batch ends early.
template <class Clock>
bool synchronise_after(const Meeting& meeting, std::int64_t repetition) noexcept;

/// Both, for what knows the clock at run time alone.
struct SyncCalls {
  void (*before)(const Meeting&, std::int64_t repetition) noexcept;
  bool (*after)(const Meeting&, std::int64_t repetition) noexcept;
};

/// Where a clock stands in `Clocks`, and a synchronisation in `Syncs`. `automatic` must have been settled before.
constexpr std::size_t clock_index(method::Clock clock) { return static_cast<std::size_t>(clock); }
constexpr std::size_t sync_index(method::Sync sync) { return static_cast<std::size_t>(sync); }
SyncCalls sync_calls(std::size_t clock);

}  // namespace groma
