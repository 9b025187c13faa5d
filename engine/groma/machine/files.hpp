// Small facts from /proc and /sys.
#pragma once

#include <cstdint>
#include <string>

namespace groma {

/// First line of a file, or "" when it can't be read.
std::string first_line(const std::string& path);

/// The value after `key` and a colon in a file of "key : value" lines, or "".
std::string value_of(const std::string& path, const std::string& key);

/// Bytes of memory that can still be had on this node: MemAvailable, and the control group's limit if there is one.
std::int64_t available_memory_bytes();

/// Size of the last-level cache in bytes, 0 when unknown.
std::int64_t last_level_cache_bytes();

/// CPU seconds since boot: in use by any process, and taken by the hypervisor.
struct CpuSeconds {
  double busy = 0;
  double stolen = 0;
};
CpuSeconds cpu_seconds();

}  // namespace groma
