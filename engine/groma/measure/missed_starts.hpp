// Starts at agreed times that the ranks did not keep, and the ways to start that were given up for them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "groma/measure/pacer.hpp"
#include "groma/plan/point.hpp"
#include "groma/schema/point.hpp"
#include "groma/timed/ranktimes.hpp"

namespace groma {

class MissedStarts {
 public:
  void count(const Reduced& batch);
  /// Counts from zero, with a new method or the first samples.
  void begin_anew();
  [[nodiscard]] std::int64_t tried() const { return tried_; }
  /// True if more than half of the repetitions were dropped: those that are left are no fair choice.
  [[nodiscard]] bool mostly() const { return 2 * static_cast<std::int64_t>(missed_ns_.size()) > tried_; }
  /// Counts from zero with the same method; false if it was tried again before.
  bool one_more_chance();
  /// Remembers that `sync` is given up, for the starts missed so far.
  void give_up(method::Sync sync, const Pacer& pacer);

  /// "16 of 20 repetitions missed their starts under sync=roundtime, by 30.1 us in the median, with starts announced
  /// 160 us ahead"
  [[nodiscard]] std::string text(method::Sync sync, const Pacer& pacer) const;
  /// What was asked for at first, and why it was given up; empty if nothing was.
  [[nodiscard]] schema::Named<schema::Replacement> replaced() const;

 private:
  struct Replaced {
    method::Sync asked;
    std::string because;
  };
  std::vector<std::int64_t> missed_ns_;  ///< by how much, since the method was last changed
  std::int64_t tried_ = 0;               ///< repetitions since then
  bool tried_again_ = false;             ///< the method in force
  std::vector<Replaced> replaced_;       ///< in order
};

}  // namespace groma
