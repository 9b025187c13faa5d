// What it costs to make a communicator and to free it again.
#pragma once

#include "groma/info.hpp"

namespace groma {

struct CommDup {
  static constexpr Info info{.name = "comm_dup",
                             .summary = "A duplicate of the communicator, made and freed.",
                             .calls = "MPI_Comm_dup, MPI_Comm_free",
                             .time = "one duplicate made and freed"};
  Site site;
  Buffers buffers;
  void step() noexcept {
    MPI_Comm made;
    MPI_Comm_dup(site.comm, &made);
    MPI_Comm_free(&made);
  }
};

struct CommSplit {
  static constexpr Info info{.name = "comm_split",
                             .summary = "Even and odd ranks get a communicator each, made and freed.",
                             .calls = "MPI_Comm_split, MPI_Comm_free",
                             .time = "one split made and freed"};
  Site site;
  Buffers buffers;
  void step() noexcept {
    MPI_Comm made;
    MPI_Comm_split(site.comm, site.rank % 2, site.rank, &made);
    MPI_Comm_free(&made);
  }
};

}  // namespace groma
