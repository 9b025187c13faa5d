#include "groma/machine/files.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "groma/text/words.hpp"

namespace groma {
namespace {

/// What the control group of this process still allows; nothing known: the largest number.
std::int64_t control_group_bytes() {
  std::ifstream membership("/proc/self/cgroup");
  std::string line;
  std::int64_t least = INT64_MAX;
  while (std::getline(membership, line)) {
    if (!line.starts_with("0::")) continue;
    const std::string folder = "/sys/fs/cgroup" + line.substr(3);
    const auto limit = parse_integer(first_line(folder + "/memory.max"));
    const auto used = parse_integer(first_line(folder + "/memory.current"));
    if (limit && used) least = std::min(least, static_cast<std::int64_t>(*limit - *used));
  }
  return least;
}

}  // namespace

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string value_of(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with(key)) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t start = line.find_first_not_of(" \t", colon + 1);
    return start == std::string::npos ? "" : line.substr(start);
  }
  return "";
}

std::int64_t available_memory_bytes() {
  const std::string text = value_of("/proc/meminfo", "MemAvailable");
  const auto kib = parse_integer(text.substr(0, text.find(' ')));
  const std::int64_t system = kib ? static_cast<std::int64_t>(*kib) * 1024 : INT64_MAX;
  return std::min(system, control_group_bytes());
}

std::int64_t last_level_cache_bytes() {
  std::int64_t largest = 0;
  for (int index = 0; index < 8; ++index) {
    const auto bytes =
        parse_size(first_line("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size"));
    if (bytes) largest = std::max(largest, static_cast<std::int64_t>(*bytes));
  }
  return largest;
}

CpuSeconds cpu_seconds() {
  std::istringstream line(first_line("/proc/stat"));
  std::string cpu;
  double user = 0;
  double nice = 0;
  double system = 0;
  double idle = 0;
  double wait = 0;
  double interrupts = 0;
  double soft = 0;
  double stolen = 0;
  line >> cpu >> user >> nice >> system >> idle >> wait >> interrupts >> soft >> stolen;
  const auto per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  return {(user + nice + system + interrupts + soft) / per_second, stolen / per_second};
}

}  // namespace groma
