// Operations that send nothing: the cost of the harness itself, and MPI's simplest calls.
#pragma once

#include "groma/info.hpp"

namespace groma {

struct Noop : Placed {
  static constexpr Info info{.name = "noop",
                             .summary = "An empty operation: the cost of measuring itself.",
                             .calls = "",
                             .family = Family::harness};
  void step() noexcept {}
};

struct Wtime : Placed {
  static constexpr Info info{
      .name = "wtime", .summary = "One reading of MPI's clock.", .calls = "MPI_Wtime", .family = Family::harness};
  void step() noexcept { MPI_Wtime(); }
};

struct CommRank : Placed {
  static constexpr Info info{.name = "comm_rank",
                             .summary = "One local query: the cost of entering the library.",
                             .calls = "MPI_Comm_rank",
                             .family = Family::harness};
  void step() noexcept {
    int rank = 0;
    MPI_Comm_rank(site.comm, &rank);
  }
};

using HarnessCalls = OperationList<Noop, Wtime, CommRank>;

}  // namespace groma
