// Epochs of one-sided communication: what a repetition does before, around and after its calls, on the rank that calls
// and on the rank that they reach. A policy is a type, so that no branch on it stands in a timed loop.
#pragma once

#include <mpi.h>

#include <array>
#include <string_view>

namespace groma {

/// Who takes part in the epochs of one rank, in ranks of the window's communicator.
struct Reach {
  MPI_Win window = MPI_WIN_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int lock = MPI_LOCK_SHARED;
  int target = 0;  ///< whom this rank's calls reach, and in epochs that both open, whose calls reach it
};

/// Nothing: what an epoch does not do. `post` and `wait` are those of the rank that calls reach, `start` and `complete`
/// those of the rank that calls, `together` is done by both after all of them.
struct Epoch {
  Reach at;
  void open() noexcept {}
  void post() noexcept {}
  void start() noexcept {}
  void complete() noexcept {}
  void wait() noexcept {}
  void together() noexcept {}
  void close() noexcept {}
  /// Outside the timed part: all calls are over on all ranks, and whoever looks into its memory sees that, as the
  /// others see what it wrote there. Collective.
  void settle() noexcept {
    synchronise_own();
    MPI_Barrier(at.comm);
    synchronise_own();
  }
  void synchronise_own() noexcept {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, at.rank, 0, at.window);
    MPI_Win_sync(at.window);
    MPI_Win_unlock(at.rank, at.window);
  }
};

/// One epoch for all repetitions: every rank locks every other for as long as the operation lives.
struct AllLocked : Epoch {
  void open() noexcept { MPI_Win_lock_all(0, at.window); }
  void close() noexcept { MPI_Win_unlock_all(at.window); }
  void settle() noexcept {
    MPI_Win_flush_all(at.window);
    MPI_Win_sync(at.window);
    MPI_Barrier(at.comm);
    MPI_Win_sync(at.window);
  }
};
struct Flush : AllLocked {
  static constexpr std::string_view name = "flush";
  static constexpr std::string_view until = "complete at the target (MPI_Win_flush)";
  static constexpr std::string_view calls = "MPI_Win_flush";
  void complete() noexcept { MPI_Win_flush(at.target, at.window); }
};
struct FlushLocal : AllLocked {
  static constexpr std::string_view name = "flush_local";
  static constexpr std::string_view until = "complete at the origin alone, which may use its arrays again";
  static constexpr std::string_view calls = "MPI_Win_flush_local";
  void complete() noexcept { MPI_Win_flush_local(at.target, at.window); }
};
struct FlushAll : AllLocked {
  static constexpr std::string_view name = "flush_all";
  static constexpr std::string_view until = "complete at all targets";
  static constexpr std::string_view calls = "MPI_Win_flush_all";
  void complete() noexcept { MPI_Win_flush_all(at.window); }
};
struct FlushLocalAll : AllLocked {
  static constexpr std::string_view name = "flush_local_all";
  static constexpr std::string_view until = "complete at the origin, for all targets";
  static constexpr std::string_view calls = "MPI_Win_flush_local_all";
  void complete() noexcept { MPI_Win_flush_local_all(at.window); }
};
struct WinSync : AllLocked {
  static constexpr std::string_view name = "win_sync";
  static constexpr std::string_view until = "seen in both copies of a window (MPI_Win_sync)";
  static constexpr std::string_view calls = "MPI_Win_sync";
  void complete() noexcept { MPI_Win_sync(at.window); }
};

struct Lock : Epoch {
  static constexpr std::string_view name = "lock";
  static constexpr std::string_view until = "complete at the target, which is locked and unlocked";
  static constexpr std::string_view calls = "MPI_Win_lock, MPI_Win_unlock";
  void start() noexcept { MPI_Win_lock(at.lock, at.target, 0, at.window); }
  void complete() noexcept { MPI_Win_unlock(at.target, at.window); }
};
struct LockAll : Epoch {
  static constexpr std::string_view name = "lock_all";
  static constexpr std::string_view until = "complete at the target, with all ranks locked and unlocked";
  static constexpr std::string_view calls = "MPI_Win_lock_all, MPI_Win_unlock_all";
  void start() noexcept { MPI_Win_lock_all(0, at.window); }
  void complete() noexcept { MPI_Win_unlock_all(at.window); }
};

struct Fence : Epoch {
  static constexpr std::string_view name = "fence";
  static constexpr std::string_view until = "complete at all ranks, by one fence";
  static constexpr std::string_view calls = "MPI_Win_fence";
  void open() noexcept { MPI_Win_fence(0, at.window); }
  void together() noexcept { MPI_Win_fence(0, at.window); }
  void close() noexcept { MPI_Win_fence(MPI_MODE_NOSUCCEED, at.window); }
  void settle() noexcept { MPI_Win_fence(0, at.window); }
};

/// Post, start, complete, wait: the target opens the epoch for the origin, and waits for its end.
struct Pscw : Epoch {
  static constexpr std::string_view name = "pscw";
  static constexpr std::string_view until = "complete, in epochs that the target posts and waits for";
  static constexpr std::string_view calls = "MPI_Win_post, MPI_Win_start, MPI_Win_complete, MPI_Win_wait";
  MPI_Group other = MPI_GROUP_NULL;
  void open() noexcept {
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Win_get_group(at.window, &all);
    MPI_Group_incl(all, 1, &at.target, &other);
    MPI_Group_free(&all);
  }
  void post() noexcept { MPI_Win_post(other, 0, at.window); }
  void start() noexcept { MPI_Win_start(other, 0, at.window); }
  void complete() noexcept { MPI_Win_complete(at.window); }
  void wait() noexcept { MPI_Win_wait(at.window); }
  void close() noexcept { MPI_Group_free(&other); }
};
/// The same between the first rank and all others.
struct PscwWithFirst : Pscw {
  void open() noexcept {
    const int first = 0;
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Win_get_group(at.window, &all);
    (at.rank == first ? MPI_Group_excl : MPI_Group_incl)(all, 1, &first, &other);
    MPI_Group_free(&all);
  }
};
/// The same between every rank and both of its neighbours in the ring.
struct PscwWithNeighbours : Pscw {
  void open() noexcept {
    int ranks = 0;
    MPI_Comm_size(at.comm, &ranks);
    const std::array<int, 2> both{(at.rank + 1) % ranks, (at.rank + ranks - 1) % ranks};
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Win_get_group(at.window, &all);
    MPI_Group_incl(all, both[0] == both[1] ? 1 : 2, both.data(), &other);
    MPI_Group_free(&all);
  }
};
/// The target asks for the end of an epoch until it is there.
template <class Waiting>
struct Tested : Waiting {
  static constexpr std::string_view name = "pscw_test";
  static constexpr std::string_view until = "complete, in epochs whose end the target asks for (MPI_Win_test)";
  static constexpr std::string_view calls = "MPI_Win_post, MPI_Win_start, MPI_Win_complete, MPI_Win_test";
  void wait() noexcept {
    for (int over = 0; over == 0;) MPI_Win_test(this->at.window, &over);
  }
};

/// Every call of an epoch has one of its own: its `Call` locks the target and unlocks it.
struct LockEach : Epoch {
  static constexpr std::string_view name = "lock";
  static constexpr std::string_view until = "each complete at its target, locked (shared) and unlocked for it";
  static constexpr std::string_view calls = "MPI_Win_lock, MPI_Win_unlock";
};

}  // namespace groma
