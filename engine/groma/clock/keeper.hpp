// Keeps the global clocks of a launch: makes one for each clock in use, checks it, and makes it anew when it may have
// gone too far off.
#pragma once

#include <array>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "groma/clock/global.hpp"
#include "groma/clock/readings.hpp"
#include "groma/mpi/handles.hpp"

namespace groma {

struct KeeperRules {
  std::string method;          ///< field clock_sync
  std::string sharing;         ///< field clock_sharing
  double max_error_ns = 1000;  ///< field max_clock_error_us
};

/// How far a point's global clock was off, as measured around it.
struct ClockError {
  double before_ns = 0;
  double after_ns = 0;
  double bound_ns = 0;  ///< largest over ranks, at the end
  bool valid = true;
};

class TimeKeeper {
 public:
  TimeKeeper(const std::array<ClockFacts, clock_count>& clocks, const Comm& world, const Comm& node, KeeperRules rules);

  /// Makes the global version of a clock, unless there is one. Collective over the world.
  void provide(std::size_t clock);

  /// Measures the clock's error, and synchronises anew where the bound has grown beyond the rules. Collective.
  double check(std::size_t clock);

  /// The largest bound of any rank now. Collective.
  [[nodiscard]] double bound_ns(std::size_t clock) const;

  [[nodiscard]] const GlobalClock& global(std::size_t clock) const { return kept_.at(clock).global; }

  /// What was done, for the start record: on rank 0. Collective.
  [[nodiscard]] nlohmann::ordered_json describe() const;

 private:
  struct Kept {
    GlobalClock global;
    Comm leaders;               ///< null on ranks that follow a leader
    Comm followers;             ///< the ranks that share this one's counter
    bool shared = true;         ///< hosts were found to share a counter
    double residual_ns = 0;     ///< measured right after synchronising
    double fresh_bound_ns = 0;  ///< largest over ranks, right after synchronising
    std::int64_t took_ns = 0;
  };
  [[nodiscard]] LocalNow now_of(std::size_t clock) const;
  void synchronise(std::size_t clock, Kept& kept) const;
  [[nodiscard]] double residual_ns(std::size_t clock, const Kept& kept, bool followers_too) const;

  const std::array<ClockFacts, clock_count>& clocks_;
  const Comm& world_;
  const Comm& node_;
  KeeperRules rules_;
  std::map<std::size_t, Kept> kept_;
};

}  // namespace groma
