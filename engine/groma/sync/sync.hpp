// How ranks are brought together before a timed call. Each is inlined into the timed loop, before the first stamp.
#pragma once

#include <mpi.h>

#include <tuple>

namespace groma {

/// The ranks to bring together, on a communicator of their own.
struct Meeting {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int ranks = 1;
};

/// Back to back: measures throughput.
struct NoSync {
  static constexpr const char* name = "none";
  static void wait(const Meeting&) noexcept {}
};

/// The library's own barrier, with the exit skew that it has.
struct LibraryBarrier {
  static constexpr const char* name = "barrier";
  static void wait(const Meeting& meeting) noexcept { MPI_Barrier(meeting.comm); }
};

/// The partners of a rank in the round of a dissemination barrier with this distance.
struct Peers {
  int to;
  int from;
};
constexpr Peers dissemination_peers(const Meeting& meeting, int distance) noexcept {
  return {(meeting.rank + distance) % meeting.ranks, (meeting.rank - distance + meeting.ranks) % meeting.ranks};
}

/// In round k, a token goes to rank + 2^k and comes from rank - 2^k; after ceil(log2 p) rounds all have heard of all.
struct Dissemination {
  static constexpr const char* name = "dissemination";
  static void wait(const Meeting& meeting) noexcept {
    for (int distance = 1; distance < meeting.ranks; distance *= 2) {
      const Peers peers = dissemination_peers(meeting, distance);
      MPI_Sendrecv(nullptr, 0, MPI_BYTE, peers.to, 0, nullptr, 0, MPI_BYTE, peers.from, 0, meeting.comm,
                   MPI_STATUS_IGNORE);
    }
  }
};

using Syncs = std::tuple<NoSync, LibraryBarrier, Dissemination>;
inline constexpr std::size_t sync_count = std::tuple_size_v<Syncs>;

}  // namespace groma
