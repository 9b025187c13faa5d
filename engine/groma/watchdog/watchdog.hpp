// Ends a launch in which a point hangs, and says who did not arrive. A timer interrupts each rank at the limit; until
// then the measuring process has neither a thread nor a helper for it. The timed loop knows nothing of it, because the
// stamps that it writes tell how far a rank has come.
#pragma once

#include <signal.h>
#include <time.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "groma/machine/shared_memory.hpp"
#include "groma/mpi/handles.hpp"
#include "groma/watchdog/last_words.hpp"

namespace groma {

inline constexpr int watchdog_exit_code = 3;

class Watchdog {
 public:
  /// The index of what comes before the first point. No record can name it: standard error alone does.
  static constexpr std::int64_t before_the_points = -1;

  /// `node` are the ranks of this host that share memory; `record_file` is where rank 0 appends the failure record,
  /// -1: nowhere. Collective. One a process.
  Watchdog(const Comm& world, const Comm& node, int record_file);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// From here on the point has `limit_s` seconds (0: no limit). `index`: its place in the plan; `member`: whether
  /// this rank takes part in it.
  void arm(std::int64_t index, const std::string& point, double limit_s, bool member);
  void disarm();

  /// A batch begins: its stamps are zero until the loop writes them.
  void enter(const char* stage, const std::int64_t* start, const std::int64_t* end, std::int64_t repetitions);

  /// While one lives the watchdog waits: the line that is being written stays whole. None where `watchdog` is null.
  class Undisturbed {
   public:
    explicit Undisturbed(const Watchdog* watchdog);
    ~Undisturbed();
    Undisturbed(const Undisturbed&) = delete;
    Undisturbed& operator=(const Undisturbed&) = delete;

   private:
    sigset_t before_{};
  };

 private:
  struct Seat;
  /// When the main thread was looked at, and the CPU time that it had used by then.
  struct Look {
    std::int64_t at_ns = 0;
    std::int64_t cpu_ns = 0;
  };

  static void interrupted(int signal);
  void tick();
  void publish();
  [[nodiscard]] bool asleep() const;
  void describe();
  void report();
  [[noreturn]] void give_up();

  int record_file_;
  int world_rank_;
  int node_rank_;
  bool several_nodes_;
  std::vector<int> world_ranks_;  ///< of the ranks of this node
  SharedMemory board_;
  std::vector<Seat*> seats_;  ///< on the board, by rank of the node
  int signal_ = 0;
  struct sigaction replaced_ {};
  timer_t timer_{};
  std::atomic<bool> armed_{false};
  bool member_ = false;
  std::int64_t index_ = 0;
  std::int64_t deadline_ns_ = 0;
  Look look_;
  std::string point_;
  std::string limit_;
  const char* stage_ = "";
  const std::int64_t* start_ = nullptr;
  const std::int64_t* end_ = nullptr;
  std::int64_t repetitions_ = 0;
  std::int64_t batches_ = 0;  ///< of the point
  // What the handler writes to; allocated when the watchdog is made.
  std::vector<int> missing_;
  std::vector<int> sleeping_;
  LastWords where_;
  LastWords message_;
  LastWords out_;
};

}  // namespace groma
