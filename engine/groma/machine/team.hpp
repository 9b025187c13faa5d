// The threads of a rank: made once for a point, each kept on a CPU of its own, and released together as often as its
// operation says. The calling thread is the first of them.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "groma/machine/cpus.hpp"

namespace groma {

/// One look at memory that another thread is to change; after many, other threads get a turn on this CPU.
inline void look_again(int& looks) noexcept {
  constexpr int looks_a_turn = 4096;
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
  if (++looks % looks_a_turn == 0) sched_yield();
}

class Team {
 public:
  /// What thread `number` does in one turn.
  using Part = void (*)(void* owner, int number) noexcept;

  Team() = default;
  ~Team() { stop(); }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Makes the threads from the second on, and sees that each is on its one of `cpus`, which says how many there are.
  /// Throws runtime_error if the system refuses one.
  void start(std::span<const int> cpus, Part part, void* owner);
  void stop();

  /// Around batches: from here on every thread waits for its turn with open eyes, the calling one on its own CPU too.
  void gather();
  /// Threads sleep.
  void dismiss();

  /// Begins a turn of all threads. The calling one does its own part next, then comes to `join`.
  void release() noexcept { turn_.store(turn_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }
  void join() noexcept {
    const std::int64_t turn = turn_.load(std::memory_order_relaxed);
    int looks = 0;
    for (Member* one = first_; one != last_; ++one) {
      while (one->done.load(std::memory_order_acquire) != turn) look_again(looks);
    }
  }

  /// Of the team that is gathered: threads that have not ended the turn, the calling one not counted; -1 if there is
  /// none, or it has a single thread. Safe in a signal handler.
  static int inside();

 private:
  enum State : int { asleep, ready, over };
  struct alignas(128) Member {
    std::atomic<std::int64_t> done{0};
    std::atomic<bool> present{false};
    std::atomic<int> cpu{-1};  ///< where it found itself; -2: not where it should be
  };
  void serve(int number, int cpu);

  alignas(128) std::atomic<std::int64_t> turn_{0};
  alignas(128) std::atomic<int> state_{asleep};
  std::unique_ptr<Member[]> members_;  ///< of the threads that were made
  Member* first_ = nullptr;
  Member* last_ = nullptr;
  Part part_ = nullptr;
  void* owner_ = nullptr;
  int own_cpu_ = -1;
  std::optional<StayOn> stay_;
  std::vector<std::thread> threads_;  // not jthread: LLVM's library has it as an experiment only
};

}  // namespace groma
