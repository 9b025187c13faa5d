#include "groma/device/memory.hpp"

#include <algorithm>

#include "groma/errors.hpp"
#include "groma/text/words.hpp"

namespace groma {

using payload::MemoryKind;

int device_of(const std::string& devices, int host_rank, int visible) {
  if (devices.empty()) return host_rank % visible;
  const std::vector<int> listed = parse_cpus(devices);
  const int device = listed[static_cast<std::size_t>(host_rank) % listed.size()];
  if (device < visible) return device;
  throw InputError("device=" + devices + " names device " + std::to_string(device) + ", and rank " +
                   std::to_string(host_rank) + " of its host sees " + std::to_string(visible) +
                   " (from 0 on); leave device out, or name one of them");
}

DeviceMemory::DeviceMemory(const RegionNeeds& needs, const std::string& devices, int host_rank) {
  for (std::size_t at = 0; at < memory_kinds; ++at) {
    const auto kind = static_cast<MemoryKind>(at);
    if (needs[at].send + needs[at].receive == 0) continue;
    try {
      use(kind, devices, host_rank);
      send_[at] = allocated(kind, needs[at].send);
      receive_[at] = allocated(kind, needs[at].receive);
    } catch (const DeviceError& error) {
      throw InputError("rank " + std::to_string(host_rank) + " of its host: memory=" + name_of(kind) +
                       " can't be had: " + error.what() +
                       "; ask for smaller messages or fewer ranks per device, or look what else uses it");
    }
  }
}

void DeviceMemory::use(MemoryKind kind, const std::string& devices, int host_rank) {
  Driver& driver = driver_of(kind);
  if (std::ranges::any_of(used_, [&](const Used& one) { return one.driver == &driver; })) return;
  const int device = device_of(devices, host_rank, driver.devices());
  driver.use(device);
  used_.push_back({&driver, device});
}

Region DeviceMemory::allocated(MemoryKind kind, std::int64_t bytes) {
  if (bytes == 0) return {};
  const auto size = static_cast<std::size_t>(bytes);
  return {.start = {driver_of(kind).allocate(kind, size), ReleaseRegion{kind}}, .bytes = size};
}

}  // namespace groma
