// What the driver of a device takes to copy, beside which messages of the same length are set.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "groma/device/memory.hpp"
#include "groma/schema/devices.hpp"

namespace groma {

/// The median time of some copies of each of these lengths by each driver in use, between pinned host memory and the
/// device, within the device, and to another device if one is visible; each waited for; of lengths for which there is
/// memory. `sizes` are ascending. The other device is one of `others`, UUIDs of other ranks' devices, if it can be.
std::vector<schema::DeviceCopy> measure_copies(const DeviceMemory& memory, const std::vector<std::int64_t>& sizes,
                                               const std::vector<std::string>& others);

/// This rank's devices, as their drivers describe them.
std::vector<schema::RankDevice> describe_devices(const DeviceMemory& memory, int rank);

}  // namespace groma
