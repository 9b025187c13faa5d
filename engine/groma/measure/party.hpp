// Who takes part in a point, and through which communicators.
#pragma once

#include <span>
#include <vector>

#include "groma/mpi/handles.hpp"
#include "groma/patterns/groups.hpp"

namespace groma {

/// The ranks of a point: their world ranks in order, and their communicators (null on the others).
struct Party {
  std::vector<int> members;
  Comm work;     ///< the operation's own messages: all members, or this rank's group of them
  Comm control;  ///< synchronisation, reductions and decisions of all members
  int groups = 1;
  int lane = 1;  ///< if ranks have targets: length of the rings in which members stand, one behind the other
  int hosts = 1;
};

/// Makes the communicators of `groups`; `world_itself` has the operation use MPI_COMM_WORLD, not a copy. Collective
/// over `world`.
Party form_party(const Comm& world, std::span<const int> node_of_rank, const std::vector<Group>& groups,
                 bool world_itself);

}  // namespace groma
