// Decides, on the first member and for all, how many samples come next and whether they are enough.
#pragma once

#include <cstdint>
#include <vector>

#include "groma/mpi/handles.hpp"
#include "groma/plan/point.hpp"
#include "groma/stopping/settle.hpp"
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
  /// The next batch, of at most `most` samples; `expected_ns` is what a sample may take, 0 if that is unknown.
  /// Collective.
  [[nodiscard]] Next next(std::int64_t most, std::int64_t drawn, double expected_ns) const;
  /// Adds the time of a batch.
  void spend(double seconds) { drawing_s_ += seconds; }
  /// The phases of the machine that the steady part of the samples must hold, on the first member.
  void expect(Phases phases) { phases_ = phases; }
  /// Judges the samples so far, each of `block` calls, beside `invalid` that were dropped; returns how many come before
  /// the steady part and are to be left out. Collective.
  [[nodiscard]] std::size_t judge(const std::vector<std::int64_t>& samples, std::int64_t invalid, std::int64_t block);
  /// No more samples can come.
  void end() { stopped_ = Stopped::repetitions; }
  /// Starts again.
  void forget();

  [[nodiscard]] bool stopped() const { return stopped_ != Stopped::no; }
  [[nodiscard]] Stopped reason() const { return stopped_; }
  [[nodiscard]] double drawing_s() const { return drawing_s_; }
  /// How steady the samples were, once they are enough; on the first member.
  [[nodiscard]] const Steadiness& found() const { return found_; }

 private:
  /// True if samples of `block` calls are too few to average over the phases.
  [[nodiscard]] bool too_short(const std::vector<std::int64_t>& steady, std::int64_t block) const;
  /// True if phases leave the median of such samples open.
  [[nodiscard]] bool open(const std::vector<std::int64_t>& steady, std::int64_t block) const;
  /// Why the samples are enough; finds how steady they were.
  [[nodiscard]] Stopped decide(const std::vector<std::int64_t>& samples, std::int64_t invalid, std::int64_t block);

  const Point& point_;
  const Comm& control_;
  Phases phases_;
  double drawing_s_ = 0;
  Stopped stopped_ = Stopped::no;
  Steadiness found_;
};

}  // namespace groma
