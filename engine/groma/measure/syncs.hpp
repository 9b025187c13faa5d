// The synchronisations as plain functions, by clock and name: for what runs outside the timed loops.
#pragma once

#include <cstddef>
#include <string_view>

#include "groma/sync/sync.hpp"

namespace groma {

struct SyncCalls {
  void (*wait)(const Meeting&, std::int64_t repetition) noexcept;
  bool (*after)(const Meeting&, std::int64_t repetition) noexcept;
};

/// Index of a synchronisation in `Syncs` by name.
std::size_t sync_index(std::string_view name);
SyncCalls sync_calls(std::size_t clock, std::size_t sync);

}  // namespace groma
