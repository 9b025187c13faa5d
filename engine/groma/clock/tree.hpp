// The tree in which the leaders of hosts ping each other: whom a leader fits its clock to, and whom it serves.
#pragma once

#include <vector>

namespace groma {

enum class ClockSync { hca3, jk, offset_only };

/// Whom a leader fits to (-1: nobody), and whom it serves, in order.
struct TreePlace {
  int parent = -1;
  std::vector<int> clients;
};

/// The place of leader `rank` of `ranks`: a binomial tree for hca3, a star around rank 0 for the others.
TreePlace place_of(ClockSync method, int rank, int ranks);

}  // namespace groma
