// How ranks are brought together before a timed call: `wait` before the first stamp, `after` behind the second; `after`
// says whether the batch ends early, which only round time ever does. The timed loops call them (timed/syncs.hpp).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <tuple>

#include "groma/sync/pace.hpp"

namespace groma {

/// The ranks to bring together, on a communicator of their own.
struct Meeting {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int ranks = 1;
  Pace pace = {};
  std::size_t sync = 0;  ///< the place in `Syncs` of what brings them together
};

struct NothingAfter {
  template <class Clock>
  static bool after(const Meeting&, std::int64_t) noexcept {
    return false;
  }
};

/// Back to back: measures throughput.
struct NoSync : NothingAfter {
  static constexpr const char* name = "none";
  template <class Clock>
  static void wait(const Meeting&, std::int64_t) noexcept {}
};

/// The library's own barrier, with the exit skew that it has.
struct LibraryBarrier : NothingAfter {
  static constexpr const char* name = "barrier";
  template <class Clock>
  static void wait(const Meeting& meeting, std::int64_t) noexcept {
    MPI_Barrier(meeting.comm);
  }
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
struct Dissemination : NothingAfter {
  static constexpr const char* name = "dissemination";
  template <class Clock>
  static void wait(const Meeting& meeting, std::int64_t) noexcept {
    for (int distance = 1; distance < meeting.ranks; distance *= 2) {
      const Peers peers = dissemination_peers(meeting, distance);
      MPI_Sendrecv(nullptr, 0, MPI_BYTE, peers.to, 0, nullptr, 0, MPI_BYTE, peers.from, 0, meeting.comm,
                   MPI_STATUS_IGNORE);
    }
  }
};

/// Waits until `target` ticks; a rank that comes later says by how much.
template <class Clock>
void spin_until(const Pace& pace, std::int64_t target, std::int64_t repetition) noexcept {
  std::int64_t now = Clock::now();
  pace.late[repetition] = now > target ? now - target : 0;
  while (now < target) now = Clock::now();
}

/// Starts at times agreed for the whole batch, one window apart.
struct Window : NothingAfter {
  static constexpr const char* name = "window";
  template <class Clock>
  static void wait(const Meeting& meeting, std::int64_t repetition) noexcept {
    spin_until<Clock>(meeting.pace, meeting.pace.begin[repetition] + meeting.pace.delay[repetition], repetition);
  }
};

/// The first rank sets each start a little ahead; afterwards all learn how late the last was, and whether time is up.
struct RoundTime {
  static constexpr const char* name = "roundtime";
  template <class Clock>
  static void wait(const Meeting& meeting, std::int64_t repetition) noexcept {
    const Pace& pace = meeting.pace;
    std::int64_t begin_ns = pace.line.to_global_ns(Clock::now()) + pace.lead_ns;
    MPI_Bcast(&begin_ns, 1, MPI_INT64_T, 0, meeting.comm);
    spin_until<Clock>(pace, pace.line.to_ticks(begin_ns) + pace.delay[repetition], repetition);
  }
  template <class Clock>
  static bool after(const Meeting& meeting, std::int64_t repetition) noexcept {
    const std::int64_t mine[2] = {meeting.pace.late[repetition], Clock::now() > meeting.pace.deadline_ticks ? 1 : 0};
    std::int64_t any[2];
    MPI_Allreduce(mine, any, 2, MPI_INT64_T, MPI_MAX, meeting.comm);
    meeting.pace.late[repetition] = any[0];
    return any[1] != 0;
  }
};

using Syncs = std::tuple<NoSync, LibraryBarrier, Dissemination, Window, RoundTime>;
inline constexpr std::size_t sync_count = std::tuple_size_v<Syncs>;

}  // namespace groma
