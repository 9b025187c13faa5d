#include "groma/machine/topology.hpp"

#include <algorithm>

#include "groma/errors.hpp"
#include "groma/machine/files.hpp"
#include "groma/text/words.hpp"

namespace groma {
namespace {

/// The CPUs in a file such as "0-3,8"; empty if it can't be read.
std::vector<int> cpus_in(const std::string& path) {
  try {
    return parse_cpus(first_line(path));
  } catch (const InputError&) {
    return {};
  }
}

/// True if a group has all of these CPUs.
bool has_all(const std::vector<int>& group, const std::vector<int>& cpus) {
  return std::all_of(cpus.begin(), cpus.end(),
                     [&](int cpu) { return std::find(group.begin(), group.end(), cpu) != group.end(); });
}

std::optional<int> lowest_of(const std::vector<int>& group, const std::vector<int>& cpus) {
  if (group.empty() || !has_all(group, cpus)) return std::nullopt;
  return *std::min_element(group.begin(), group.end());
}

/// The CPUs that share the last-level cache of one.
std::vector<int> sharing_last_cache(const std::string& cpu) {
  std::string last;
  double highest = 0;
  for (int index = 0;; ++index) {
    const std::string cache = cpu + "/cache/index" + std::to_string(index);
    const auto level = parse_integer(first_line(cache + "/level"));
    if (!level) break;
    if (*level <= highest || first_line(cache + "/type") == "Instruction") continue;
    highest = *level;
    last = cache;
  }
  return last.empty() ? std::vector<int>() : cpus_in(last + "/shared_cpu_list");
}

/// The number of the socket that has all CPUs; virtual machines may say -1.
std::optional<int> socket_of(const std::string& topology, const std::vector<int>& cpus) {
  std::vector<int> group = cpus_in(topology + "package_cpus_list");
  if (group.empty()) group = cpus_in(topology + "core_siblings_list");  // its name before Linux 5.3
  const auto number = parse_integer(first_line(topology + "physical_package_id"));
  if (!number || *number < 0 || !has_all(group, cpus)) return std::nullopt;
  return static_cast<int>(*number);
}

}  // namespace

CpuGroups groups_of(const std::vector<int>& cpus, const std::string& system) {
  if (cpus.empty()) return {};
  const std::string first = system + "/cpu" + std::to_string(cpus.front());
  const std::string topology = first + "/topology/";
  return {.core = lowest_of(cpus_in(topology + "thread_siblings_list"), cpus),
          .cache = lowest_of(sharing_last_cache(first), cpus),
          .socket = socket_of(topology, cpus)};
}

}  // namespace groma
