// How much CPU time the control groups of this process grant it, as a container or a batch system limits it.
#pragma once

#include <optional>
#include <string>

namespace groma {

/// CPUs' worth of time: the least that the group of this process and the groups above it grant, by cpu.max of cgroups
/// version 2 or cpu.cfs_quota_us of version 1; none without a limit. Files are looked for below `root`.
std::optional<double> cpu_quota(const std::string& root = "");

}  // namespace groma
