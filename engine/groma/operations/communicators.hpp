// What it costs to make a communicator and to free it again.
#pragma once

#include "groma/info.hpp"

namespace groma {

struct CommDup : Placed {
  static constexpr Info info{.name = "comm_dup",
                             .summary = "A duplicate of the communicator, made and freed.",
                             .calls = "MPI_Comm_dup, MPI_Comm_free",
                             .time = "one duplicate made and freed"};
  void step() noexcept {
    MPI_Comm made;
    MPI_Comm_dup(site.comm, &made);
    MPI_Comm_free(&made);
  }
};

struct CommSplit : Placed {
  static constexpr Info info{.name = "comm_split",
                             .summary = "Even and odd ranks get a communicator each, made and freed.",
                             .calls = "MPI_Comm_split, MPI_Comm_free",
                             .time = "one split made and freed"};
  void step() noexcept {
    MPI_Comm made;
    MPI_Comm_split(site.comm, site.rank % 2, site.rank, &made);
    MPI_Comm_free(&made);
  }
};

using CommunicatorCalls = OperationList<CommDup, CommSplit>;

}  // namespace groma
