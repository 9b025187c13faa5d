// Keeps the global clocks of a launch: makes one for each clock in use, checks it, and resynchronises it when its error
// may exceed the limit.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "groma/clock/cycles.hpp"
#include "groma/clock/global.hpp"
#include "groma/clock/readings.hpp"
#include "groma/mpi/handles.hpp"
#include "groma/schema/clocks.hpp"

namespace groma {

struct KeeperRules {
  ClockSync method = ClockSync::hca3;
  bool one_counter_a_host = true;  ///< whether the ranks of a host may read one counter
  double max_error_ns = 1000;      ///< field max_clock_error_us
  bool cpu_each = false;           ///< whether every rank has a CPU of its own to spin on
};

/// The measured error of a global clock, and the bound of its error: the largest of any rank, the same on all.
struct Deviation {
  double residual_ns = 0;
  double bound_ns = 0;
};

/// The error of a point's global clock, measured before and after the point.
struct ClockError {
  Deviation before;
  Deviation after;
  double limit_ns = 0;
  [[nodiscard]] bool valid() const { return std::max(before.residual_ns, after.residual_ns) <= limit_ns; }
};

class TimeKeeper {
 public:
  TimeKeeper(const std::array<ClockFacts, clock_count>& clocks, const Comm& world, const Comm& node, KeeperRules rules);

  /// Makes the global version of a clock, unless there is one. Collective over the world.
  void provide(std::size_t clock);

  /// The same where all ranks read one counter, so that nothing has to be measured; else leaves it. Collective.
  void provide_if_free(std::size_t clock);

  /// Measures the error of the clock, without changing it. Collective.
  Deviation check(std::size_t clock);

  /// The same before a point, with a clock that has learned from all measurements so far. Resynchronises after two
  /// consecutive checks exceed both the limit of the rules and twice the error of the new clock. Collective.
  Deviation settle(std::size_t clock);

  /// The global version of a clock, or null if there is none.
  [[nodiscard]] const GlobalClock* global(std::size_t clock) const {
    const auto kept = kept_.find(clock);
    return kept == kept_.end() ? nullptr : &kept->second.global;
  }

  /// What was done, for the start record: on rank 0. Collective.
  [[nodiscard]] std::vector<schema::GlobalClock> describe() const;

  /// The results of all checks since, for the end record: on rank 0. Collective.
  [[nodiscard]] std::vector<schema::ClockOutcome> describe_end() const;

 private:
  struct Kept {
    GlobalClock global;
    Comm leaders;        ///< null on ranks that follow a leader
    Comm followers;      ///< the ranks that share this one's counter
    bool shared = true;  ///< hosts were found to share a counter
    Deviation fresh;     ///< right after synchronising
    std::int64_t took_ns = 0;
    int synchronised = 0;        ///< how often it was made
    std::optional<Cycle> cycle;  ///< of world ranks, on leaders; nothing if there are fewer than three
  };
  struct Differences {
    double offset_ns;
    double drift_ppm;
  };
  [[nodiscard]] LocalNow now_of(std::size_t clock) const;
  /// Offset and drift of a rank's own clock against rank 0's: the farthest from 0. Collective.
  [[nodiscard]] Differences differences(std::size_t clock, const Kept& kept) const;
  [[nodiscard]] bool one_counter(const Kept& kept) const { return kept.followers.size() == world_.size(); }
  /// True if the ranks of each host read one counter, on every host. Collective.
  [[nodiscard]] bool shared_on_hosts(std::size_t clock) const;
  void make(std::size_t clock, bool shared);
  void synchronise(std::size_t clock, Kept& kept) const;
  void close_cycles(std::size_t clock, Kept& kept) const;
  Deviation measure(std::size_t clock, Kept& kept, GlobalClock::Purpose purpose) const;

  const std::array<ClockFacts, clock_count>& clocks_;
  const Comm& world_;
  const Comm& node_;
  KeeperRules rules_;
  std::map<std::size_t, Kept> kept_;
};

}  // namespace groma
