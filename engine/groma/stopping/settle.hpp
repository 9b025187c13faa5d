// The calls before the samples: how many are made until a slow start would have been seen, and what they say of the
// length of a block.
#pragma once

#include <cstdint>
#include <vector>

#include "groma/plan/point.hpp"
#include "groma/stopping/steady.hpp"

namespace groma {

/// A slow start of at most this many messages from one rank is seen and discarded.
inline constexpr std::int64_t longest_slow_start = 5000;

/// What one repetition sends.
struct Traffic {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
  int ranks = 1;
};

/// How many calls show a slow start and what follows it; fewer of large messages and of calls whose caches are
/// prepared.
std::int64_t calls_to_see(const Point& point, const Traffic& traffic);

/// True if samples before the steady part are left out: not where a profile fixes the samples as another program does.
bool leaves_out_start(const Point& point);

/// True if calls are made until they are steady.
bool settles(const Point& point);

/// Slow and fast phases of the machine, as single calls went through them.
struct Phases {
  static constexpr std::int64_t independent = 10;
  /// How many calls hold a number of independent observations, judged by half of the calls. 1 if calls keep to one
  /// level.
  std::int64_t calls = 1;
  /// Spread of blocks of calls, where phases leave the median of calls open; else 0.
  double spread = 0;
  /// Blocks of calls that are worth one independent observation.
  [[nodiscard]] double inflation(std::int64_t block) const;
};

/// Half the distance of the quartiles, relative to their middle.
double spread_of(std::vector<std::int64_t> values);

/// Single calls in time order, and what was found in them. Complete on the first member only.
struct Settling {
  std::vector<std::int64_t> calls_ns;
  std::int64_t made = 0;
  std::int64_t needed = 0;
  Steadiness found;
  [[nodiscard]] bool seen() const { return made >= needed && found.reached(); }
  /// The calls of the steady part; all where there is none.
  [[nodiscard]] std::vector<std::int64_t> steady() const;
  /// The phases that samples of `block` calls must show too.
  [[nodiscard]] Phases phases(std::int64_t block) const;

 private:
  [[nodiscard]] std::int64_t calls_over_phases() const;
  [[nodiscard]] double spread_over_phases(std::int64_t block) const;
};

double mean_of(const std::vector<std::int64_t>& values);

/// Share of the values that are above twice their median.
double slow_share(const std::vector<std::int64_t>& values);

/// How many calls a block needs so that the median of blocks is within 1 % of the mean over calls, by the skewness that
/// is left after averaging (Edgeworth). Calls beyond the 99 % quantile count as that quantile: rarer events are
/// noise that a median over blocks excludes.
std::int64_t calls_for_mean(std::vector<std::int64_t> calls_ns);

}  // namespace groma
