// The CPUs on which the threads of a point stay.
#pragma once

#include <string>
#include <vector>

#include "groma/mpi/handles.hpp"

namespace groma {

/// A CPU for each thread of every rank of a host, by rank, from those that the ranks may use (`allowed`): one that no
/// other thread has, as long as there is one. Ranks with the fewest CPUs to choose from choose first.
std::vector<std::vector<int>> seats_of(const std::vector<std::vector<int>>& allowed, int threads);

struct ThreadCpus {
  std::vector<int> own;            ///< of this rank, by thread
  bool shared = false;             ///< some CPU of some host has two threads
  std::vector<std::string> ranks;  ///< of every rank, by rank, such as "0,2"; on rank 0 alone
};

/// Collective over `members`, the ranks of a point.
ThreadCpus thread_cpus(const Comm& members, int threads);

}  // namespace groma
