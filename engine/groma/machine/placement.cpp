#include "groma/machine/placement.hpp"

#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "groma/machine/cpus.hpp"
#include "groma/machine/files.hpp"
#include "groma/machine/host.hpp"
#include "groma/machine/quota.hpp"
#include "groma/machine/topology.hpp"
#include "groma/mpi/texts.hpp"
#include "groma/schema/json.hpp"
#include "groma/schema/machine.hpp"
#include "groma/text/words.hpp"

namespace groma {
namespace {

int count_numa_nodes() {
  int nodes = 0;
  while (access(("/sys/devices/system/node/node" + std::to_string(nodes)).c_str(), F_OK) == 0) ++nodes;
  return std::max(nodes, 1);
}

schema::Node describe_node() {
  utsname kernel{};
  uname(&kernel);
  return {.name = processor_name(),
          .kernel = std::string(kernel.sysname) + " " + kernel.release,
          .cpu_model = value_of("/proc/cpuinfo", "model name"),
          .cpus = sysconf(_SC_NPROCESSORS_ONLN),
          .numa_nodes = count_numa_nodes(),
          .memory_bytes = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE),
          .last_level_cache_bytes = static_cast<std::int64_t>(last_level_cache_bytes()),
          .governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
          .smt = first_line("/sys/devices/system/cpu/smt/active") == "1",
          .clock_source = first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
          .virtual_machine = value_of("/proc/cpuinfo", "flags").find(" hypervisor") != std::string::npos,
          .cpu_quota = cpu_quota()};
}

/// The node of every rank: nodes are numbered in the order of their first ranks.
std::vector<int> number_nodes(const Comm& world, const Comm& node) {
  int leader = world.rank();
  MPI_Bcast(&leader, 1, MPI_INT, 0, node.get());
  std::vector<int> leaders(static_cast<std::size_t>(world.size()));
  MPI_Allgather(&leader, 1, MPI_INT, leaders.data(), 1, MPI_INT, world.get());
  std::vector<int> numbers(leaders.size());
  int next = 0;
  for (std::size_t rank = 0; rank < leaders.size(); ++rank) {
    const auto first = static_cast<std::size_t>(leaders[rank]);
    numbers[rank] = first == rank ? next++ : numbers[first];
  }
  return numbers;
}

/// How many CPUs the ranks of every node may use.
std::vector<int> count_cpus(const Comm& world, const Comm& node, const Placement& placement) {
  std::string cpus;
  for (const int cpu : allowed_cpu_numbers()) cpus += std::to_string(cpu) + ",";
  std::set<std::string> distinct;
  for (const std::string& of_rank : gather_texts(node, cpus)) {
    for (const std::string_view cpu : split(of_rank, ',')) {
      if (!cpu.empty()) distinct.emplace(cpu);
    }
  }
  std::vector<int> counts(static_cast<std::size_t>(placement.nodes));
  const int own = placement.node_of_rank[static_cast<std::size_t>(world.rank())];
  if (node.rank() == 0) counts[static_cast<std::size_t>(own)] = static_cast<int>(distinct.size());
  MPI_Allreduce(MPI_IN_PLACE, counts.data(), placement.nodes, MPI_INT, MPI_MAX, world.get());
  return counts;
}

}  // namespace

bool Placement::crowds(std::span<const int> members, int threads) const {
  std::vector<int> busy(cpus.size());
  for (const int rank : members)
    busy[static_cast<std::size_t>(node_of_rank[static_cast<std::size_t>(rank)])] += threads;
  return !std::ranges::equal(busy, cpus, std::less_equal());
}

Placement measure_placement(const Comm& world, const Comm& node) {
  Placement placement;
  placement.node_of_rank = number_nodes(world, node);
  placement.hosts = numbers_of(world, processor_name());
  for (const int number : placement.node_of_rank) placement.nodes = std::max(placement.nodes, number + 1);
  placement.cpus = count_cpus(world, node, placement);
  std::vector<int> ranks_of_world(placement.node_of_rank.size());
  std::iota(ranks_of_world.begin(), ranks_of_world.end(), 0);
  placement.oversubscribed = placement.crowds(ranks_of_world, 1);

  const std::vector<int> allowed = allowed_cpu_numbers();
  const CpuGroups groups = groups_of(allowed);
  schema::RankPlace mine{
      .allowed_cpus = as_ranges(allowed), .core = groups.core, .cache = groups.cache, .socket = groups.socket};
  syscall(SYS_getcpu, &mine.cpu, &mine.numa_node, nullptr);
  const auto nodes = gather_texts(world, node.rank() == 0 ? schema::json_of(describe_node()).dump() : "");
  const auto ranks = gather_texts(world, schema::json_of(mine).dump());
  if (world.rank() != 0) return placement;

  schema::Nodes document;
  for (const std::string& text : nodes) {
    if (!text.empty()) document.nodes.push_back(schema::read_text<schema::Node>(text));
  }
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    schema::RankPlace& place = document.ranks.emplace_back(schema::read_text<schema::RankPlace>(ranks[rank]));
    place.rank = rank;
    place.node = placement.node_of_rank[rank];
    ++document.nodes[static_cast<std::size_t>(place.node)].ranks;
  }
  placement.document = schema::json_of(document).dump(1) + "\n";
  return placement;
}

}  // namespace groma
