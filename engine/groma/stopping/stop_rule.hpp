// Decides, on the first member and for all, how many samples come next and whether they are enough.
#pragma once

#include <cstdint>
#include <vector>

#include "groma/mpi/handles.hpp"
#include "groma/plan/point.hpp"
#include "groma/stopping/steady.hpp"
#include "groma/stopping/stop.hpp"

namespace groma {

/// All members make the same calls; those named collective tell them what the first has decided.
class StopRule {
 public:
  /// Reads the point at every decision: its slot may be shortened in between. Both must outlive the rule.
  StopRule(const Point& point, const Comm& control) : point_(point), control_(control) {}

  struct Next {
    std::int64_t count = 0;
    double slot_ns = 0;  ///< no repetition starts later
  };
  /// The next batch, of at most `most` samples; `expected_ns` is what a sample may take, 0 where that is unknown.
  /// Collective.
  [[nodiscard]] Next next(std::int64_t most, std::int64_t drawn, double expected_ns) const;
  /// Adds the time of a batch.
  void spend(double seconds) { drawing_s_ += seconds; }
  /// How many calls the samples must hold, on the first member, to average over phases of the machine.
  void require_calls(std::int64_t calls) { phase_calls_ = calls; }
  /// Judges the samples so far, each of `block` calls, beside `invalid` that were dropped; returns how many come before
  /// the steady part and are to be left out. Collective.
  [[nodiscard]] std::size_t judge(const std::vector<std::int64_t>& samples, std::int64_t invalid, std::int64_t block);
  /// Begins anew.
  void forget();

  [[nodiscard]] bool stopped() const { return stopped_ != Stopped::no; }
  [[nodiscard]] Stopped reason() const { return stopped_; }
  [[nodiscard]] double drawing_s() const { return drawing_s_; }
  /// How steady the samples were, once they are enough; on the first member.
  [[nodiscard]] const Steadiness& found() const { return found_; }

 private:
  [[nodiscard]] Stopped reason_to_stop(const std::vector<std::int64_t>& samples, std::int64_t invalid,
                                       bool within_a_phase) const;

  const Point& point_;
  const Comm& control_;
  std::int64_t phase_calls_ = 1;
  double drawing_s_ = 0;
  Stopped stopped_ = Stopped::no;
  Steadiness found_;
};

}  // namespace groma
