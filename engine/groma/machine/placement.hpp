// Where every rank really runs: measured, not taken from the request.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "groma/mpi/handles.hpp"

namespace groma {

struct Placement {
  std::string document;              ///< nodes.json; on rank 0 only
  std::vector<int> node_of_rank;     ///< on every rank
  std::vector<std::uint64_t> hosts;  ///< by rank, on every rank: numbers that stand for the hosts' names
  int nodes = 1;
  std::vector<int> cpus;        ///< of each node, that its ranks may use; on every rank
  bool oversubscribed = false;  ///< some node has more ranks than CPUs they may use

  /// Whether these ranks, with so many threads each, are more than the CPUs of some node.
  [[nodiscard]] bool crowds(std::span<const int> members, int threads) const;
};

/// Collective over `world`; `node` are the ranks on this one's host.
Placement measure_placement(const Comm& world, const Comm& node);

}  // namespace groma
