// The memory that a launch takes before it measures anything.
#pragma once

#include <cstdint>

#include "groma/buffers/arena.hpp"
#include "groma/device/memory.hpp"
#include "groma/launch/agenda.hpp"
#include "groma/launch/ranks.hpp"

namespace groma {

struct MemoryNeeds {
  Needs mine;                        ///< the largest point of each of this rank's arrays
  RegionNeeds regions{};             ///< of other memory than the host's, by kind
  std::int64_t node_bytes = 0;       ///< of all ranks of this node
  std::int64_t available_bytes = 0;  ///< on this node
};

/// What the ranks of each node need for their largest points; refuses what does not fit. Collective over the world.
MemoryNeeds fitting_memory(const Agenda& agenda, const Ranks& ranks);

}  // namespace groma
