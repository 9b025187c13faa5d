// Draws batches of repetitions of one point: sets their roots, caches and starts, runs the timed loop, and reduces the
// stamps of all ranks.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "groma/buffers/cache.hpp"
#include "groma/clock/global.hpp"
#include "groma/device/mirror.hpp"
#include "groma/measure/launch_context.hpp"
#include "groma/measure/pacer.hpp"
#include "groma/measure/roots.hpp"
#include "groma/measure/subject.hpp"
#include "groma/timed/ranktimes.hpp"
#include "groma/timed/stamps.hpp"

namespace groma {

/// A slot that is never over.
inline constexpr double no_limit = std::numeric_limits<double>::infinity();

/// What changing and reading messages takes, over ranks; nothing for what is not done between the stamps.
struct TouchFound {
  std::optional<FiveNumbers> write_ns;
  std::optional<FiveNumbers> read_ns;
};

/// Every call that draws is collective over the party.
class Sampler {
 public:
  /// `point` is the point as this rank runs it. Its `sync` may change between batches, by change_sync alone. `global`
  /// may be null. All must outlive the sampler.
  Sampler(const LaunchContext& context, const Configured& operation, const Point& point, const Party& party,
          const GlobalClock* global, std::int64_t index);

  [[nodiscard]] const Subject& subject() const { return subject_; }
  /// The arrays on devices, which PayloadCheck fills and reads.
  [[nodiscard]] Mirror& mirror() { return mirror_; }
  [[nodiscard]] const Pacer& pacer() const { return pacer_; }
  [[nodiscard]] const ClockFacts& clock() const { return stamps_.clock(); }
  /// True if times of different ranks can be compared.
  [[nodiscard]] bool global() const { return stamps_.global(); }
  [[nodiscard]] bool rooted() const { return roots_.rooted(); }
  [[nodiscard]] bool warm() const { return cache_.warm(); }
  /// Calls in one block.
  [[nodiscard]] std::int64_t block() const { return block_; }
  void set_block(std::int64_t calls) { block_ = calls; }
  void change_sync(method::Sync sync) { pacer_.change(sync); }

  /// True for short points, in which more than a few calls before the samples would warm up what these measure:
  /// SKaMPI's 8 come after 4.
  [[nodiscard]] bool brief() const { return point_.min_repetitions < 20; }

  /// Measures what the way to start needs to know before the first batch.
  void prepare();
  /// `count` repetitions, blocks or single calls as the point says, fewer where `slot_ns` is over; `stage` is for the
  /// messages of the watchdog.
  Reduced draw(const char* stage, std::int64_t count, double slot_ns);
  /// What happened before the first point, of an operation of which `happened` tells.
  Reduced recalled();
  /// Single calls, and blocks: `most`, fewer where windows of that number do not fit into `slot_ns`.
  Reduced calls(const char* stage, std::int64_t most, double slot_ns);
  Reduced blocks(const char* stage, std::int64_t most, double slot_ns);
  /// One call whose time is left, because collecting it takes messages: after them, and after the arrays were filled,
  /// the first call of some lengths is slow (by 290 us for 1 MiB on Intel MPI 2021.18).
  void last_warmup();
  /// Draws the root of one call, for `single_call`.
  int next_root();
  /// One call, started by a barrier, on the point's own arrays as they lie.
  Reduced single_call(const char* stage);
  /// What touching takes in some more repetitions of about `call_ns`.
  TouchFound touch_time(double call_ns);

 private:
  enum class Caches { prepared, as_they_are };
  /// A loop of calls, and how its calls are started.
  struct Started {
    Loop loop;
    method::Sync sync;
  };
  /// The next three return how many repetitions were made: fewer than asked where time was up.
  std::int64_t make_calls(const char* stage, Started by, std::int64_t count, Pace pace, Caches caches);
  std::int64_t make_prepared_calls(Started by, std::int64_t count, Pace pace);
  std::int64_t make_blocks(const char* stage, std::int64_t count, Pace pace);
  std::vector<std::int64_t> pilot();
  void note(const char* stage, std::int64_t count);
  [[nodiscard]] RankTimes paced_times(std::int64_t count);
  [[nodiscard]] Reduced reduce(const RankTimes& times, const std::vector<int>& roots) const;
  [[nodiscard]] Started barrier_started() const;
  [[nodiscard]] const Loops& loops() const;  ///< those of the point: with its clock, or slowed
  [[nodiscard]] Meeting meeting(method::Sync sync, const Pace& pace) const;
  [[nodiscard]] std::int64_t wait_ns(std::int64_t repetitions) const;

  Watchdog* watchdog_;
  const Point& point_;
  const Party& party_;
  Arena arena_;  ///< what MPI is given
  Subject subject_;
  Mirror mirror_;
  Stamps stamps_;
  CacheKeeper cache_;
  Pacer pacer_;
  Roots roots_;
  std::int64_t block_ = 1;
};

}  // namespace groma
