#include "groma/measure/watchdog.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <new>
#include <tuple>

#include "groma/machine/files.hpp"
#include "groma/plan/words.hpp"
#include "groma/record/output.hpp"

namespace groma {

/// One rank's place on the board that the ranks of a node share.
struct alignas(64) Watchdog::Seat {
  enum State : int { silent, idle, present };
  std::atomic<int> state{silent};
  std::atomic<int> asleep{0};
  std::atomic<int> reported{0};  ///< in the first seat: the others may leave
  std::atomic<std::int64_t> batch{0};
  std::atomic<std::int64_t> started{0};
  std::atomic<std::int64_t> ended{0};
  std::atomic<std::int64_t> repetitions{0};
  std::array<char, 24> stage{};
};

namespace {

constexpr std::size_t seat_bytes = 256;

std::int64_t written(const std::int64_t* stamps, std::int64_t count) {
  const volatile std::int64_t* live = stamps;
  std::int64_t n = 0;
  while (n < count && live[n] != 0) ++n;
  return n;
}

/// Whether the main thread sleeps in the kernel: the letter after the command name in its stat line.
bool main_thread_asleep() {
  const std::string stat = first_line("/proc/self/task/" + std::to_string(getpid()) + "/stat");
  const std::size_t name_end = stat.rfind(')');
  return name_end != std::string::npos && name_end + 2 < stat.size() &&
         (stat[name_end + 2] == 'S' || stat[name_end + 2] == 'T');
}

}  // namespace

Watchdog::Watchdog(const Comm& world, const Comm& node, Report report)
    : report_(std::move(report)),
      world_rank_(world.rank()),
      node_rank_(node.rank()),
      world_ranks_(static_cast<std::size_t>(node.size())),
      board_(node, 2 * seat_bytes) {
  static_assert(sizeof(Seat) <= seat_bytes);
  MPI_Allgather(&world_rank_, 1, MPI_INT, world_ranks_.data(), 1, MPI_INT, node.get());
  new (&seat(node_rank_)) Seat;
  MPI_Barrier(node.get());
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { watch(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

Watchdog::Seat& Watchdog::seat(int node_rank) const {
  void* start = board_.block(node_rank);
  std::size_t space = 2 * seat_bytes;
  return *static_cast<Seat*>(std::align(alignof(Seat), sizeof(Seat), start, space));
}

void Watchdog::arm(const std::string& point, double limit_s, bool member) {
  {
    const std::lock_guard lock(mutex_);
    armed_ = limit_s > 0;
    member_ = member;
    limit_s_ = limit_s;
    point_ = point;
    stage_ = "setting up";
    repetitions_ = 0;
    deadline_ = std::chrono::steady_clock::now() + std::chrono::nanoseconds(static_cast<std::int64_t>(limit_s * 1e9));
  }
  wake_.notify_one();
}

void Watchdog::disarm() {
  const std::lock_guard lock(mutex_);
  armed_ = false;
}

void Watchdog::enter(const char* stage, const std::int64_t* start, const std::int64_t* end, std::int64_t repetitions) {
  const std::lock_guard lock(mutex_);
  stage_ = stage;
  start_ = start;
  end_ = end;
  repetitions_ = repetitions;
  ++batches_;
}

void Watchdog::watch() {
  std::unique_lock lock(mutex_);
  while (!quit_) {
    if (!armed_) {
      wake_.wait(lock);
    } else if (wake_.wait_until(lock, deadline_) == std::cv_status::timeout && armed_ && !quit_ &&
               std::chrono::steady_clock::now() >= deadline_) {
      give_up();
    }
  }
}

void Watchdog::publish() {
  Seat& mine = seat(node_rank_);
  mine.batch = batches_;
  mine.repetitions = repetitions_;
  mine.started = written(start_, repetitions_);
  mine.ended = written(end_, repetitions_);
  mine.asleep = main_thread_asleep() ? 1 : 0;
  std::snprintf(mine.stage.data(), mine.stage.size(), "%s", stage_);
  mine.state = member_ ? Seat::present : Seat::idle;
}

std::string Watchdog::describe(std::vector<int>& missing) const {
  using Progress = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
  const auto progress = [](const Seat& seat) { return Progress{seat.batch, seat.ended, seat.started}; };
  Progress furthest{};
  bool all_asleep = true;
  for (std::size_t i = 0; i < world_ranks_.size(); ++i) {
    const Seat& one = seat(static_cast<int>(i));
    if (one.state != Seat::present) continue;
    furthest = std::max(furthest, progress(one));
    all_asleep = all_asleep && one.asleep == 1;
  }
  std::vector<int> behind;
  std::vector<int> sleeping;
  std::string where;
  for (std::size_t i = 0; i < world_ranks_.size(); ++i) {
    const Seat& one = seat(static_cast<int>(i));
    const std::string rank = "\n  rank " + std::to_string(world_ranks_[i]) + ": ";
    if (one.state == Seat::idle) continue;
    if (one.state == Seat::silent) {
      behind.push_back(world_ranks_[i]);
      where += rank + "does not answer (stopped or dead)";
      continue;
    }
    if (progress(one) < furthest) behind.push_back(world_ranks_[i]);
    if (one.asleep == 1) sleeping.push_back(world_ranks_[i]);
    where += rank + one.stage.data();
    if (one.repetitions > 0)
      where += ", " + std::to_string(one.ended) + " of " + std::to_string(one.repetitions) + " repetitions done";
    if (one.repetitions > 0 && one.started > one.ended) where += ", inside the operation";
    if (one.asleep == 1) where += ", asleep";
  }
  // All equally far: then those that sleep while others poll are the ones waited for.
  missing = !behind.empty() ? behind : !all_asleep ? sleeping : std::vector<int>{};
  return where;
}

// Runs on the watchdog's thread while the main thread is stuck: no MPI here, and no way back.
void Watchdog::give_up() {
  publish();
  if (node_rank_ != 0) {
    for (int i = 0; i < 300 && seat(0).reported == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    _exit(watchdog_exit_code);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  std::vector<int> missing;
  const std::string where = describe(missing);
  std::string names;
  for (const int rank : missing) names += (names.empty() ? "" : ", ") + std::to_string(rank);
  const std::string message = point_ + " exceeded its limit of " + plain_number(limit_s_) + " s; " +
                              (names.empty() ? "every rank is inside it" : "did not arrive: rank " + names) + where;
  complain(message);
  if (world_rank_ == 0) report_(message, missing);
  seat(0).reported = 1;
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  _exit(watchdog_exit_code);
}

}  // namespace groma
