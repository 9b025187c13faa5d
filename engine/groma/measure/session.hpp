// One point being measured in one launch: set up, validated, warmed up, then sampled batch by batch.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "groma/buffers/cache.hpp"
#include "groma/buffers/payload.hpp"
#include "groma/clock/global.hpp"
#include "groma/clock/readings.hpp"
#include "groma/measure/entry.hpp"
#include "groma/measure/interval.hpp"
#include "groma/measure/pacer.hpp"
#include "groma/measure/party.hpp"
#include "groma/measure/ranktimes.hpp"
#include "groma/measure/settle.hpp"
#include "groma/measure/stop.hpp"
#include "groma/measure/watchdog.hpp"
#include "groma/plan/point.hpp"

namespace groma {

/// What all points of a launch share.
struct Workshop {
  const std::vector<Entry>& entries;
  const std::array<ClockFacts, clock_count>& clocks;
  const Arena& arena;
  Watchdog* watchdog = nullptr;
  std::int64_t seed = 1;
};

/// What a point's first visit leaves for a second one, to repeat it and to compare with it. The same on all members but
/// for the interval, which the first member knows.
struct FirstVisit {
  std::int64_t count = 0;  ///< samples to take again; 0 where none are
  std::int64_t block = 1;
  method::Sync sync{};  ///< as it was settled in the end
  MedianInterval found;
};

/// Every call is collective over the party; ranks outside it must not make any.
class Session {
 public:
  /// `global` is the point's global clock, or null where it needs none; it must outlive the session.
  Session(const Workshop& workshop, const Configured& operation, const Point& point, const Party& party,
          const GlobalClock* global, std::int64_t index);

  /// First call, payload check, warm-up, calls until they are steady, length of a block, pace.
  void open();
  /// One batch; at most `most` samples.
  void draw(std::int64_t most = longest_batch);
  [[nodiscard]] bool done() const { return done_; }
  /// What a second visit repeats; its `count` is complete on the first member only.
  [[nodiscard]] FirstVisit first_visit() const;
  /// A few samples of a point that was measured before, in a session of their own and in place of `open` and `draw`.
  void revisit(const FirstVisit& first);
  /// The record of a second visit; complete on the first member only.
  [[nodiscard]] nlohmann::ordered_json revisit_record(const FirstVisit& first) const;
  /// Why the point can't be measured (wrong data arrived, or no repetition was valid); empty when it can.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  /// What kind of failure it is, in the record's word.
  [[nodiscard]] const std::string& failure_reason() const { return failure_reason_; }
  [[nodiscard]] const std::vector<int>& failed_ranks() const { return failed_ranks_; }
  [[nodiscard]] std::int64_t window_ns() const { return pacer_.window_ns(); }

  [[nodiscard]] bool first_member() const { return seat_ == 0; }
  /// The record of this point; complete on the first member only.
  [[nodiscard]] nlohmann::ordered_json record() const;

 private:
  /// A block this much shorter than asked is marked.
  static constexpr double block_tolerance = 0.8;
  /// A way to start that the ranks did not keep: what was asked for at first, and why it was given up.
  struct Replaced {
    method::Sync asked;
    std::string because;
  };
  static constexpr double no_limit = std::numeric_limits<double>::infinity();

  struct Made {
    RankTimes times;
    std::int64_t count = 0;  ///< fewer than asked where time was up
  };
  enum class Caches { prepared, as_they_are };  ///< the checked calls are made on the buffers that were filled
  Made make_calls(const char* stage, Loop loop, std::int64_t count, Pace pace, Caches caches);
  Made make_blocks(const char* stage, std::int64_t count, Pace pace);
  [[nodiscard]] Reduced reduce(const RankTimes& times, const std::vector<int>& roots) const;
  [[nodiscard]] Made collect(std::int64_t count) const;
  Reduced run_calls(const char* stage, std::int64_t count, double slot_ns);
  Reduced run_blocks(const char* stage, std::int64_t count, double slot_ns);
  void prepare_cache();
  void schedule_roots(std::int64_t count);
  void settle();
  void choose_block();
  [[nodiscard]] std::int64_t block_for_mean();
  void judge_samples();
  void leave_out_start(std::size_t count);
  [[nodiscard]] bool verified() const;
  [[nodiscard]] nlohmann::ordered_json calls_json() const;
  void add_steadiness(nlohmann::ordered_json& record) const;
  void settle_starts();
  void count_missed(const Reduced& batch);
  void reconsider_starts(const Reduced& batch);
  bool give_way();
  void forget_samples();
  void require_samples();
  [[nodiscard]] std::string missed_starts() const;
  [[nodiscard]] Expected expected_payload() const;
  void validated_call(int trial);
  void fill(int trial, int root);
  void check_payload(int trial, int root);
  std::vector<std::int64_t> pilot();
  void note(const char* stage, std::int64_t count);
  void keep(const Reduced& reduced);
  std::vector<std::int64_t> take_phases(const std::vector<std::size_t>& valid);
  void summarise_completion();
  void gather_ranks();
  [[nodiscard]] std::int64_t next_count(std::int64_t most) const;
  [[nodiscard]] nlohmann::ordered_json replaced_json() const;
  [[nodiscard]] nlohmann::ordered_json skew_json() const;
  [[nodiscard]] nlohmann::ordered_json ranks_json() const;
  [[nodiscard]] nlohmann::ordered_json phases_json() const;
  [[nodiscard]] Meeting meeting(const Pace& pace) const { return {party_.control.get(), seat_, seats_, pace}; }
  [[nodiscard]] std::int64_t wait_ns(std::int64_t repetitions) const;
  [[nodiscard]] bool rooted() const { return entry_.info.rooted; }

  Workshop workshop_;
  Configured configured_;
  const Entry& entry_;
  Point asked_;
  Point point_;  ///< as this rank runs it
  const Party& party_;
  int seat_;  ///< rank among all members
  int seats_;
  const GlobalClock* global_;
  std::int64_t index_;
  Datatype layout_type_;
  Site site_;
  Payload payload_;
  CacheKeeper cache_;
  std::shared_ptr<void> operation_;
  const ClockFacts& clock_;
  Pacer pacer_;
  std::vector<std::int64_t> start_;
  std::vector<std::int64_t> end_;
  std::vector<int> roots_;
  std::uint64_t root_state_;
  std::int64_t calls_made_ = 0;
  std::int64_t block_ = 1;
  std::int64_t wanted_block_ = 1;  ///< calls in a block that its median needs to be a mean
  double block_target_ns_ = 0;     ///< shortest time of a block whose length is left to the engine
  Settling settling_;
  std::int64_t phase_calls_ = 1;         ///< calls that the samples must hold, on the first member
  Steadiness found_;                     ///< in the samples, on the first member
  std::vector<std::int64_t> discarded_;  ///< samples before the steady part
  std::vector<std::int64_t> samples_;
  std::vector<std::int64_t> phases_;
  std::int64_t invalid_ = 0;
  std::vector<std::int64_t> missed_ns_;  ///< by how much starts were missed since the method was last changed
  std::int64_t tried_ = 0;               ///< repetitions since then
  std::vector<Replaced> replaced_;       ///< methods that were given up, in order
  std::int64_t excess_ns_ = 0;
  std::vector<std::int64_t> arrival_skew_;
  std::vector<std::int64_t> own_completion_;
  std::vector<std::int64_t> own_;        ///< this rank's times of all samples, under per_rank
  std::vector<std::int64_t> all_ranks_;  ///< those of every member, one after another, on the first member
  FiveNumbers completion_{};
  std::vector<std::int64_t> warmup_;
  std::int64_t first_call_ns_ = 0;
  std::int64_t checked_ = 0;
  std::int64_t opened_ns_ = 0;
  std::int64_t closed_ns_ = 0;
  double drawing_s_ = 0;
  Stopped stopped_ = Stopped::no;
  bool done_ = false;
  std::string failure_;
  std::string failure_reason_;
  std::vector<int> failed_ranks_;
};

/// Whether the figure rests on times of different ranks.
bool needs_global_clock(const Point& point);

/// Whether such times say something beside the figure: how far apart the ranks came, and how they left.
bool tells_skew(const Info& info, const Point& point);

/// "bcast, 1 KiB, 4 ranks"
std::string point_text(const Point& point, std::size_t members);

}  // namespace groma
