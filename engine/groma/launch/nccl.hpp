// NCCL for the points that need it, before anything is measured.
#pragma once

#include "groma/device/memory.hpp"
#include "groma/launch/agenda.hpp"
#include "groma/launch/ranks.hpp"

namespace groma {

/// Opens NCCL on the ranks of those points; refuses two ranks of one point on one device, as NCCL does. Collective over
/// the world.
void open_nccl(const Agenda& agenda, const DeviceMemory& memory, const Ranks& ranks);

}  // namespace groma
