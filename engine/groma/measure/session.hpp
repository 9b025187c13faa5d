// One point being measured in one launch: set up, validated, warmed up, then sampled batch by batch.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "groma/measure/failure.hpp"
#include "groma/measure/launch_context.hpp"
#include "groma/measure/missed_starts.hpp"
#include "groma/measure/payload_check.hpp"
#include "groma/measure/sampler.hpp"
#include "groma/measure/samples.hpp"
#include "groma/schema/point.hpp"
#include "groma/schema/records.hpp"
#include "groma/stopping/interval.hpp"
#include "groma/stopping/settle.hpp"
#include "groma/stopping/stop_rule.hpp"

namespace groma {

/// What a point's first visit leaves for a second one, to repeat it and to compare with it. The same on all members but
/// for the interval, which the first member knows.
struct FirstVisit {
  std::int64_t count = 0;  ///< samples to take again; 0 if none are
  std::int64_t block = 1;
  method::Sync sync{};  ///< as it was settled in the end
  MedianInterval found;
};

/// Every call is collective over the party; ranks outside it must not make any.
class Session {
 public:
  /// `global` is the point's global clock, or null if it needs none; it must outlive the session.
  Session(const LaunchContext& context, const Configured& operation, const Point& point, const Party& party,
          const GlobalClock* global, std::int64_t index);

  /// First call, payload check, warm-up, calls until they are steady, length of a block, pace.
  void open();
  /// One batch; at most `most` samples.
  void draw(std::int64_t most = longest_batch);
  [[nodiscard]] bool done() const { return failure_ || rule_.stopped(); }
  /// What a second visit repeats; its `count` is complete on the first member only.
  [[nodiscard]] FirstVisit first_visit() const;
  /// A few samples of a point that was measured before, in a session of their own and in place of `open` and `draw`.
  void revisit(const FirstVisit& first);
  /// The record of a second visit; complete on the first member only.
  [[nodiscard]] schema::Revisit revisit_record(const FirstVisit& first) const;
  /// Why the point can't be measured (wrong data arrived, or no repetition was valid); nothing when it can.
  [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }
  [[nodiscard]] std::int64_t window_ns() const { return sampler_.pacer().window_ns(); }

  /// This rank's time of every sample, where those of all ranks are too many for the record; else none.
  [[nodiscard]] std::span<const std::int64_t> times_apart() const {
    return samples_.ranks_apart() ? std::span(samples_.own_ns()) : std::span<const std::int64_t>();
  }

  [[nodiscard]] bool first_member() const { return party_.control.rank() == 0; }
  /// The record of this point; complete on the first member only.
  [[nodiscard]] schema::Point record() const;

 private:
  /// What was done beside the samples, and when.
  struct History {
    std::int64_t opened_ns = 0;
    std::int64_t closed_ns = 0;
    std::int64_t first_call_ns = 0;
    std::vector<std::int64_t> warmup_ns;
    Settling settling;
    std::int64_t wanted_block = 1;  ///< calls in a block that its median needs to be a mean
    TouchFound touch;
    double block_target_ns = 0;  ///< shortest time of a block whose length is left to the engine
  };

  void gather_new_ranks();
  void validated_call(int trial);
  void fill(int trial, int root);
  void compare(int trial, int root);
  bool in_trouble();
  void settle();
  void choose_block();
  [[nodiscard]] std::int64_t block_for_mean();
  void settle_starts();
  void reconsider_starts(const Reduced& batch);
  bool give_way();
  void require_samples();
  void complete();
  void recall();
  [[nodiscard]] double expected_ns() const;
  [[nodiscard]] bool verified() const;
  [[nodiscard]] std::optional<schema::Calls> calls() const;
  void add_steadiness(schema::Point& record) const;

  const std::vector<Entry>& entries_;
  std::int64_t index_;
  Point asked_;
  Point point_;  ///< as this rank runs it
  const Party& party_;
  Sampler sampler_;
  PayloadCheck payload_;
  Samples samples_;
  StopRule rule_;
  MissedStarts starts_;
  History history_;
  std::vector<int> new_ranks_;  ///< on the first member, by member, if ranks may be numbered anew
  std::optional<Failure> failure_;
};

/// True if the figure rests on times of different ranks.
bool needs_global_clock(const Point& point);

/// True if such times say something beside the figure: how far apart the ranks came, and how they left.
bool tells_skew(const Info& info, const Point& point);

/// "bcast, 1 KiB, 4 ranks"
std::string point_text(const Point& point, std::size_t members);

}  // namespace groma
