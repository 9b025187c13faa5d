// Which core, last-level cache and socket CPUs belong to, as the kernel says.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace groma {

/// What CPUs have in common; none if they differ, or if the kernel does not say. Core and cache are named by the
/// lowest of their CPUs, the socket by its number.
struct CpuGroups {
  std::optional<int> core;
  std::optional<int> cache;
  std::optional<int> socket;
};

/// The groups that all of `cpus` are in. `system` is a folder with a folder for every CPU.
CpuGroups groups_of(const std::vector<int>& cpus, const std::string& system = "/sys/devices/system/cpu");

}  // namespace groma
