#include "groma/watchdog/watchdog.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <tuple>

#include "groma/clock/clocks.hpp"
#include "groma/machine/team.hpp"
#include "groma/mpi/shared_file.hpp"
#include "groma/text/checksum.hpp"
#include "groma/text/output.hpp"
#include "groma/text/words.hpp"

#ifndef sigev_notify_thread_id  // glibc has the member, and until 2.36 no name for it
#define sigev_notify_thread_id _sigev_un._tid
#endif

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
  std::atomic<int> threads_inside{-1};  ///< besides the first one; -1: it has no others
  std::array<char, 24> stage{};

  using Progress = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
  [[nodiscard]] Progress progress() const { return {batch, ended, started}; }
};

namespace {

constexpr std::size_t seat_bytes = 256;
constexpr std::size_t head_bytes = 512;  // of a message
constexpr std::size_t line_bytes = 160;  // of each rank in it
constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::string_view nobody_here = "of this node's ranks, none is behind another";

std::atomic<Watchdog*> the_watchdog{nullptr};
static_assert(std::atomic<Watchdog*>::is_always_lock_free);

std::int64_t written(const std::int64_t* stamps, std::int64_t count) {
  const volatile std::int64_t* live = stamps;
  std::int64_t n = 0;
  while (n < count && live[n] != 0) ++n;
  return n;
}

/// CPU time of this thread. Safe in a signal handler.
std::int64_t cpu_ns() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return used.tv_sec * second_ns + used.tv_nsec;
}

void nap(std::int64_t ns) {
  timespec left{.tv_sec = ns / second_ns, .tv_nsec = ns % second_ns};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

void write_last(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t bytes = ::write(file, text.data(), text.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(bytes));
  }
}

void list(LastWords& words, const std::vector<int>& ranks, std::string_view between) {
  for (std::size_t i = 0; i < ranks.size(); ++i) words << (i > 0 ? between : "") << std::int64_t{ranks[i]};
}

/// A real-time signal that nobody handles.
int free_signal() {
  for (int signal = SIGRTMAX - 1; signal > SIGRTMIN; --signal) {
    struct sigaction now {};
    if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_DFL) return signal;
  }
  throw std::runtime_error("every real-time signal is taken, and the watchdog needs one; set limit_s=0");
}

timespec span_of(std::int64_t ns) { return {.tv_sec = ns / second_ns, .tv_nsec = ns % second_ns}; }

}  // namespace

Watchdog::Watchdog(const Comm& world, const Comm& node, int record_file)
    : record_file_(record_file),
      world_rank_(world.rank()),
      node_rank_(node.rank()),
      several_nodes_(node.size() < world.size()),
      world_ranks_(static_cast<std::size_t>(node.size())),
      board_(node, 2 * seat_bytes),
      where_(line_bytes * world_ranks_.size()),
      message_(head_bytes + 2 * line_bytes * world_ranks_.size()),
      out_(2 * head_bytes + 3 * line_bytes * world_ranks_.size()) {
  static_assert(sizeof(Seat) <= seat_bytes);
  MPI_Allgather(&world_rank_, 1, MPI_INT, world_ranks_.data(), 1, MPI_INT, node.get());
  for (int i = 0; i < node.size(); ++i) {
    void* start = board_.block(i);
    std::size_t space = 2 * seat_bytes;
    seats_.push_back(static_cast<Seat*>(std::align(alignof(Seat), sizeof(Seat), start, space)));
  }
  new (seats_[static_cast<std::size_t>(node_rank_)]) Seat;
  missing_.reserve(world_ranks_.size());
  sleeping_.reserve(world_ranks_.size());
  MPI_Barrier(node.get());

  signal_ = free_signal();
  the_watchdog = this;
  struct sigaction action {};
  action.sa_handler = &Watchdog::interrupted;
  action.sa_flags = SA_RESTART;
  sigaction(signal_, &action, &replaced_);
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, signal_);
  sigprocmask(SIG_UNBLOCK, &own, nullptr);
  // To this thread alone: the signal must not run its handler on a thread of the library.
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = signal_;
  event.sigev_notify_thread_id = static_cast<pid_t>(syscall(SYS_gettid));
  if (timer_create(CLOCK_MONOTONIC, &event, &timer_) != 0) {
    throw std::runtime_error(std::string("the watchdog gets no timer: ") + std::strerror(errno) + "; set limit_s=0");
  }
}

Watchdog::~Watchdog() {
  disarm();
  timer_delete(timer_);
  sigaction(signal_, &replaced_, nullptr);
  the_watchdog = nullptr;
}

Watchdog::Undisturbed::Undisturbed(const Watchdog* watchdog) {
  sigset_t own;
  sigemptyset(&own);
  if (watchdog != nullptr) sigaddset(&own, watchdog->signal_);
  sigprocmask(SIG_BLOCK, &own, &before_);
}

Watchdog::Undisturbed::~Undisturbed() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

/// The timer fires twice: shortly before the limit, to see what CPU time the rank uses from then on, and at the limit.
void Watchdog::arm(std::int64_t index, const std::string& point, double limit_s, bool member) {
  disarm();
  if (limit_s <= 0) return;
  constexpr double longest_look_s = 0.25;
  const std::int64_t limit_ns = std::llround(1e9 * limit_s);
  const std::int64_t look_ns = std::llround(1e9 * std::min(longest_look_s, limit_s / 4));
  member_ = member;
  index_ = index;
  point_ = point;
  limit_ = plain_number(limit_s);
  stage_ = "setting up";
  repetitions_ = 0;
  batches_ = 0;
  look_ = {};
  deadline_ns_ = Monotonic::now() + limit_ns;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  armed_ = true;
  const itimerspec when{.it_interval = span_of(look_ns), .it_value = span_of(limit_ns - look_ns)};
  timer_settime(timer_, 0, &when, nullptr);
}

void Watchdog::disarm() {
  armed_ = false;
  const itimerspec never{};
  timer_settime(timer_, 0, &never, nullptr);
}

void Watchdog::enter(const char* stage, const std::int64_t* start, const std::int64_t* end, std::int64_t repetitions) {
  repetitions_ = 0;  // the handler reads no stamps while they change
  std::atomic_signal_fence(std::memory_order_seq_cst);
  stage_ = stage;
  start_ = start;
  end_ = end;
  ++batches_;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  repetitions_ = repetitions;
}

// From here on everything runs in the signal handler, on the main thread, which may be anywhere: inside MPI, inside
// malloc, inside printf. So no MPI, no allocation, no locks: only system calls, the board, and memory allocated
// beforehand.

void Watchdog::interrupted(int) {
  const int error = errno;
  Watchdog* watchdog = the_watchdog;
  if (watchdog != nullptr) watchdog->tick();
  errno = error;
}

void Watchdog::tick() {
  if (!armed_) return;
  const std::int64_t now_ns = Monotonic::now();
  if (now_ns >= deadline_ns_) give_up();
  look_ = {now_ns, cpu_ns()};
}

/// A rank that polls has used CPU time since it was looked at, however many share its CPU; one that sleeps has not.
bool Watchdog::asleep() const {
  constexpr double least_share = 0.01;
  const std::int64_t seen_ns = Monotonic::now() - look_.at_ns;
  return look_.at_ns > 0 && static_cast<double>(cpu_ns() - look_.cpu_ns) < least_share * static_cast<double>(seen_ns);
}

void Watchdog::publish() {
  Seat& mine = *seats_[static_cast<std::size_t>(node_rank_)];
  mine.batch = batches_;
  mine.repetitions = repetitions_;
  mine.started = written(start_, repetitions_);
  mine.ended = written(end_, repetitions_);
  mine.asleep = asleep() ? 1 : 0;
  mine.threads_inside = Team::inside();
  std::strncpy(mine.stage.data(), stage_, mine.stage.size() - 1);
  mine.state = member_ ? Seat::present : Seat::idle;
}

/// Where every member stands, as text, and the ranks that did not arrive.
void Watchdog::describe() {
  Seat::Progress furthest{};
  bool all_asleep = true;
  for (const Seat* one : seats_) {
    if (one->state != Seat::present) continue;
    furthest = std::max(furthest, one->progress());
    all_asleep = all_asleep && one->asleep == 1;
  }
  for (std::size_t i = 0; i < seats_.size(); ++i) {
    const Seat& one = *seats_[i];
    if (one.state == Seat::idle) continue;
    where_ << "\n  rank " << std::int64_t{world_ranks_[i]} << ": ";
    if (one.state == Seat::silent) {
      missing_.push_back(world_ranks_[i]);
      where_ << "does not answer (stopped or dead)";
      continue;
    }
    if (one.progress() < furthest) missing_.push_back(world_ranks_[i]);
    if (one.asleep == 1) sleeping_.push_back(world_ranks_[i]);
    where_ << one.stage.data();
    if (one.batch > 0 && index_ != before_the_points) where_ << ", batch " << one.batch;
    if (one.repetitions > 0) where_ << ", " << one.ended << " of " << one.repetitions << " repetitions done";
    if (one.repetitions > 0 && one.started > one.ended) where_ << ", inside the operation";
    if (one.threads_inside >= 0) where_ << ", " << std::int64_t{one.threads_inside} << " of its other threads inside";
    if (one.asleep == 1) where_ << ", asleep";
  }
  // If all are equally far, the ranks that sleep while others poll are reported as missing.
  if (missing_.empty() && !all_asleep) missing_.swap(sleeping_);
}

/// On standard error, and from rank 0 as a failure record (docs/contract.md).
void Watchdog::report() {
  out_ << program_name << ": " << message_.text() << "\n";
  write_last(STDERR_FILENO, out_.text());
  if (world_rank_ != 0 || record_file_ < 0 || index_ == before_the_points) return;
  out_.clear();
  out_ << R"({"schema":1,"kind":"failure","index":)" << index_ << R"(,"reason":"timeout","message":")";
  out_.quote(message_.text()) << R"(","ranks":[)";
  list(out_, missing_, ",");
  out_ << "]";
  const Seal seal = seal_of(out_.text());
  out_ << std::string_view(seal.data(), seal.size());
  write_last(record_file_, out_.text());
}

void Watchdog::give_up() {
  constexpr std::int64_t step_ns = 10'000'000;
  remove_left_files();  // a launcher ends this process as soon as another one is gone
  publish();
  if (node_rank_ != 0) {
    for (int i = 0; i < 300 && seats_[0]->reported == 0; ++i) nap(step_ns);
    _exit(watchdog_exit_code);
  }
  nap(50 * step_ns);  // the others come to their limits a little later
  describe();
  message_ << point_ << " exceeded its limit of " << limit_ << " s; ";
  message_ << (!missing_.empty() ? "did not arrive: rank " : several_nodes_ ? nobody_here : "every rank is inside it");
  list(message_, missing_, ", ");
  message_ << where_.text();
  report();
  seats_[0]->reported = 1;
  // A launcher ends all ranks when the first is gone, and the first ranks of other nodes may still be about to report.
  nap((several_nodes_ ? 100 : 5) * step_ns);
  _exit(watchdog_exit_code);
}

}  // namespace groma
