// Which rank is the root in each repetition, the same on all ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "groma/plan/point.hpp"

namespace groma {

class Roots {
 public:
  /// Of `ranks` ranks, by the point's rule; none if the operation has no root.
  Roots(const Point& point, bool rooted, int ranks, std::uint64_t seed)
      : point_(point), rooted_(rooted), ranks_(ranks), state_(seed) {}

  [[nodiscard]] bool rooted() const { return rooted_; }
  /// Draws the roots of the next `count` repetitions.
  void schedule(std::int64_t count);
  /// The root of the first repetition that was scheduled last; 0 if there is none.
  [[nodiscard]] int first() const { return rooted_ ? roots_[0] : 0; }
  /// Those of all of them; empty if there are none.
  [[nodiscard]] const std::vector<int>& all() const { return roots_; }
  /// That of one repetition and those behind it, as loops want it.
  [[nodiscard]] const int* from(std::int64_t repetition) const { return roots_.data() + (rooted_ ? repetition : 0); }

 private:
  const Point& point_;
  bool rooted_;
  int ranks_;
  std::uint64_t state_;
  std::int64_t calls_made_ = 0;
  std::vector<int> roots_;
};

}  // namespace groma
