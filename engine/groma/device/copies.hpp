// What the driver of a device takes to copy, beside which messages of the same length are set.
#pragma once

#include <cstdint>
#include <vector>

#include "groma/device/memory.hpp"
#include "groma/schema/devices.hpp"

namespace groma {

/// The median time of some copies of each of these lengths by each driver in use, between pinned host memory and the
/// device and within the device, each waited for; of lengths for which there is memory. `sizes` are ascending.
std::vector<schema::DeviceCopy> measure_copies(const DeviceMemory& memory, const std::vector<std::int64_t>& sizes);

/// This rank's devices, as their drivers describe them.
std::vector<schema::RankDevice> describe_devices(const DeviceMemory& memory, int rank);

}  // namespace groma
