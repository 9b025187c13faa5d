// Ends a launch in which a point hangs, and says who did not arrive. A thread a rank sleeps until the limit; the timed
// loop knows nothing of it, because the stamps that it writes tell how far a rank has come.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "groma/mpi/handles.hpp"

namespace groma {

inline constexpr int watchdog_exit_code = 3;

class Watchdog {
 public:
  /// What rank 0 does with the news before the launch ends: message, and the world ranks that did not arrive.
  using Report = std::function<void(const std::string& message, const std::vector<int>& ranks)>;

  Watchdog(const Comm& world, const Comm& node, Report report);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// From here on the point has `limit_s` seconds (0: no limit). `member`: whether this rank takes part in it.
  void arm(const std::string& point, double limit_s, bool member);
  void disarm();

  /// A batch begins: its stamps are zero until the loop writes them.
  void enter(const char* stage, const std::int64_t* start, const std::int64_t* end, std::int64_t repetitions);

 private:
  struct Seat;
  void watch();
  void publish();
  [[nodiscard]] Seat& seat(int node_rank) const;
  [[noreturn]] void give_up();
  [[nodiscard]] std::string describe(std::vector<int>& missing) const;

  Report report_;
  int world_rank_;
  int node_rank_;
  std::vector<int> world_ranks_;  ///< of the ranks of this node
  SharedMemory board_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool quit_ = false;
  bool armed_ = false;
  bool member_ = false;
  double limit_s_ = 0;
  std::chrono::steady_clock::time_point deadline_;
  std::string point_;
  const char* stage_ = "";
  const std::int64_t* start_ = nullptr;
  const std::int64_t* end_ = nullptr;
  std::int64_t repetitions_ = 0;
  std::int64_t batches_ = 0;
  std::thread thread_;
};

}  // namespace groma
