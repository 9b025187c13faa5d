// One point being measured in one launch: set up, validated, warmed up, then sampled batch by batch.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "groma/buffers/payload.hpp"
#include "groma/clock/readings.hpp"
#include "groma/measure/entry.hpp"
#include "groma/measure/stop.hpp"
#include "groma/measure/watchdog.hpp"
#include "groma/mpi/handles.hpp"
#include "groma/plan/point.hpp"

namespace groma {

/// The ranks of a point: their world ranks in order, and two communicators of them (null on the others).
struct Party {
  std::vector<int> members;
  Comm work;     ///< the operation's own messages
  Comm control;  ///< synchronisation, reductions and decisions
  int hosts = 1;
};

/// What all points of a launch share.
struct Workshop {
  const std::array<ClockFacts, clock_count>& clocks;
  const Arena& arena;
  Watchdog* watchdog = nullptr;
  std::int64_t seed = 1;
};

/// Every call is collective over the party; ranks outside it must not make any.
class Session {
 public:
  Session(const Workshop& workshop, const Entry& entry, const Point& point, const Party& party, std::int64_t index);

  /// First call, payload check, warm-up, length of a block.
  void open();
  /// One batch; at most `most` samples.
  void draw(std::int64_t most = longest_batch);
  [[nodiscard]] bool done() const { return done_; }
  /// Why the point can't be measured (wrong data arrived); empty when it can.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  [[nodiscard]] const std::vector<int>& failed_ranks() const { return failed_ranks_; }

  [[nodiscard]] bool first_member() const { return site_.rank == 0; }
  /// The record of this point; complete on the first member only.
  [[nodiscard]] nlohmann::ordered_json record() const;

 private:
  std::vector<std::int64_t> run_calls(const char* stage, std::int64_t count);
  std::vector<std::int64_t> timed_calls(const char* stage, std::int64_t count);
  std::vector<std::int64_t> run_blocks(const char* stage, std::int64_t count);
  std::vector<std::int64_t> reduce(std::vector<std::int64_t> times) const;
  void schedule_roots(std::int64_t count);
  void choose_block();
  void validated_call(int trial);
  void check_payload(int trial, int root);
  void note(const char* stage, std::int64_t count);
  [[nodiscard]] Meeting meeting() const { return {party_.control.get(), site_.rank, site_.ranks}; }
  [[nodiscard]] bool rooted() const { return entry_.info.rooted; }

  Workshop workshop_;
  const Entry& entry_;
  Point point_;
  const Party& party_;
  std::int64_t index_;
  Site site_;
  Payload payload_;
  std::shared_ptr<void> operation_;
  const ClockFacts& clock_;
  Loop call_loop_ = nullptr;
  Loop block_loop_ = nullptr;
  void (*sync_)(const Meeting&) noexcept = nullptr;
  std::vector<std::int64_t> start_;
  std::vector<std::int64_t> end_;
  std::vector<int> roots_;
  std::uint64_t root_state_;
  std::int64_t calls_made_ = 0;
  std::int64_t block_ = 1;
  std::vector<std::int64_t> samples_;
  std::vector<std::int64_t> warmup_;
  std::int64_t first_call_ns_ = 0;
  std::int64_t checked_ = 0;
  std::int64_t opened_ns_ = 0;
  std::int64_t closed_ns_ = 0;
  double drawing_s_ = 0;
  Stopped stopped_ = Stopped::no;
  bool done_ = false;
  std::string failure_;
  std::vector<int> failed_ranks_;
};

/// A well-mixed number from a counter: the same on every rank, machine and library.
std::uint64_t next_random(std::uint64_t& state);

/// "bcast, 1 KiB, 4 ranks"
std::string point_text(const Point& point, std::size_t members);

}  // namespace groma
