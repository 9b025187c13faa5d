// What happens once in a launch: MPI's start and the first messages, before its first point, and MPI's end. Their times
// are taken when it happens, and told here.
#pragma once

#include <cstdint>
#include <vector>

#include "groma/info.hpp"
#include "groma/mpi/simulated.hpp"
#include "groma/mpi/startup.hpp"

namespace groma {

/// `happened` are the times of this rank, in ns. Nothing is timed now.
struct Happened : Placed {
  static constexpr std::string_view lacks = simulated ? "a start of its own, as a simulation is one process" : "";
  void step() noexcept {}
};

struct MpiInit : Happened {
  static constexpr Info info{.name = "mpi_init",
                             .summary = "The start of MPI, of the slowest rank: one time in each launch.",
                             .calls = "MPI_Init_thread",
                             .time = "MPI_Init_thread of the launch, once"};
  static std::vector<std::int64_t> happened() { return {startup().init_ns}; }
};

/// Of exchanges with every peer in turn, right after MPI_Init_thread.
struct WithEveryPeer : Happened {
  static constexpr bool after_init = true;
  static constexpr Info of(Info own) {
    own.calls = "MPI_Sendrecv";
    own.min_ranks = 2;
    own.time = "8 B exchanged with a peer, by the rank of the pair who came last; the slowest pair of each turn";
    return own;
  }
};

struct FirstMessage : WithEveryPeer {
  static constexpr Info info =
      of({.name = "first_message", .summary = "The first message to every peer after MPI's start, to 64 at most."});
  static std::vector<std::int64_t> happened() { return startup().first_ns; }
};

struct SecondMessage : WithEveryPeer {
  static constexpr Info info =
      of({.name = "second_message", .summary = "The message after that: as first_message, with all made ready."});
  static std::vector<std::int64_t> happened() { return startup().second_ns; }
};

/// The time that is told here stands for that which is known when MPI has ended (AfterEnd).
struct MpiFinalize : Happened {
  static constexpr bool at_end = true;
  static constexpr Info info{.name = "mpi_finalize",
                             .summary = "The end of MPI, on the first rank: one time in each launch.",
                             .calls = "MPI_Finalize",
                             .time = "MPI_Finalize of the launch's first rank, after a barrier, once"};
  static std::vector<std::int64_t> happened() { return {0}; }
};

using Starts = OperationList<MpiInit, FirstMessage, SecondMessage, MpiFinalize>;

}  // namespace groma
