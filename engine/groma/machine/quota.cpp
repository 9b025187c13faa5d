#include "groma/machine/quota.hpp"

#include <algorithm>
#include <fstream>

#include "groma/machine/files.hpp"
#include "groma/text/words.hpp"

namespace groma {
namespace {

using Quota = std::optional<double>;

/// Time over period, both in microseconds; no limit if the time is "max" or -1.
Quota share(std::string_view time, std::string_view period) {
  const auto granted = parse_integer(time);
  const auto every = parse_integer(period);
  if (!granted || !every || *granted <= 0 || *every <= 0) return std::nullopt;
  return *granted / *every;
}

/// Of one group of version 2: "150000 100000", or "max 100000".
Quota of_unified_group(const std::string& folder) {
  const std::string line = first_line(folder + "/cpu.max");
  const std::size_t space = line.find(' ');
  if (space == std::string::npos) return std::nullopt;
  return share(std::string_view(line).substr(0, space), std::string_view(line).substr(space + 1));
}

/// Of one group of version 1.
Quota of_older_group(const std::string& folder) {
  return share(first_line(folder + "/cpu.cfs_quota_us"), first_line(folder + "/cpu.cfs_period_us"));
}

/// The least of the groups from `path` up to the root of what is mounted. A container may see the path of its group on
/// the host, which its mount does not have; the root of its mount is then its own group.
Quota least_along(const std::string& mount, std::string path, Quota (*of_group)(const std::string&)) {
  Quota least = of_group(mount);
  for (; path.size() > 1 && path.front() == '/'; path.erase(path.rfind('/'))) {
    const Quota here = of_group(mount + path);
    if (here) least = std::min(least.value_or(*here), *here);
  }
  return least;
}

/// True if the controllers of a line of version 1, such as "cpu,cpuacct", include the one of CPU time.
bool has_cpu(std::string_view controllers) {
  const std::vector<std::string_view> names = split(controllers, ',');
  return std::find(names.begin(), names.end(), "cpu") != names.end();
}

}  // namespace

std::optional<double> cpu_quota(const std::string& root) {
  std::ifstream membership(root + "/proc/self/cgroup");
  Quota least;
  for (std::string line; std::getline(membership, line);) {  // "0::/path", or "4:cpu,cpuacct:/path"
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    std::string mount = root + "/sys/fs/cgroup";
    Quota here;
    if (controllers.empty()) here = least_along(mount, path, of_unified_group);
    if (has_cpu(controllers)) here = least_along(mount.append("/").append(controllers), path, of_older_group);
    if (here) least = std::min(least.value_or(*here), *here);
  }
  return least;
}

}  // namespace groma
