// The stamps of one rank in the last batch, in ticks of the point's clock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "groma/clock/global.hpp"
#include "groma/clock/readings.hpp"
#include "groma/timed/ranktimes.hpp"

namespace groma {

class Stamps {
 public:
  /// Room for `most` repetitions. `global` may be null; both clocks must outlive the stamps.
  Stamps(const ClockFacts& clock, const GlobalClock* global, std::size_t most)
      : clock_(clock), global_(global), start_(most), end_(most) {}

  [[nodiscard]] const ClockFacts& clock() const { return clock_; }
  /// True if times of different ranks can be compared.
  [[nodiscard]] bool global() const { return global_ != nullptr; }
  [[nodiscard]] std::int64_t* start(std::int64_t repetition = 0) { return start_.data() + repetition; }
  [[nodiscard]] std::int64_t* end(std::int64_t repetition = 0) { return end_.data() + repetition; }
  [[nodiscard]] const std::vector<std::int64_t>& ends() const { return end_; }

  void clear(std::int64_t count) {
    std::fill_n(start_.begin(), count, 0);
    std::fill_n(end_.begin(), count, 0);
  }
  /// Each of the first `count` repetitions ends where the next begins, and the last where it ended.
  void join(std::int64_t count) { std::copy_n(start_.begin() + 1, count - 1, end_.begin()); }
  /// The first `count` repetitions in ns, global where there is a global clock; none of them is late.
  [[nodiscard]] RankTimes times(std::int64_t count) const;

 private:
  const ClockFacts& clock_;
  const GlobalClock* global_;
  std::vector<std::int64_t> start_;
  std::vector<std::int64_t> end_;
};

}  // namespace groma
