#include "groma/stopping/stop_rule.hpp"

#include <algorithm>
#include <limits>

#include "groma/stopping/settle.hpp"

namespace groma {

StopRule::Next StopRule::next(std::int64_t most, std::int64_t drawn, double expected_ns) const {
  const double expected_s = drawn > 0 ? drawing_s_ / static_cast<double>(drawn) : 1e-9 * expected_ns;
  const std::int64_t count = std::min(most, next_batch(point_, drawn, drawing_s_, expected_s));
  const double slot_ns = point_.stop == method::Stop::reps ? std::numeric_limits<double>::infinity()
                                                           : 1e9 * std::max(0.0, point_.slot_s - drawing_s_);
  double told[2] = {static_cast<double>(count), slot_ns};
  MPI_Bcast(told, 2, MPI_DOUBLE, 0, control_.get());
  return {.count = static_cast<std::int64_t>(told[0]), .slot_ns = told[1]};
}

Stopped StopRule::reason_to_stop(const std::vector<std::int64_t>& samples, std::int64_t invalid,
                                 bool within_a_phase) const {
  const Stopped reason = enough(point_, samples, invalid, drawing_s_);
  return reason == Stopped::precision && within_a_phase ? Stopped::no : reason;
}

std::size_t StopRule::judge(const std::vector<std::int64_t>& samples, std::int64_t invalid, std::int64_t block) {
  std::int64_t told[2] = {static_cast<std::int64_t>(Stopped::no), 0};
  if (control_.rank() == 0) {
    const auto held = static_cast<std::int64_t>(samples.size()) * block;
    const bool within_a_phase = held < std::min(phase_calls_, point_.max_repetitions * block);
    const Stopped reason = reason_to_stop(samples, invalid, within_a_phase);
    told[0] = static_cast<std::int64_t>(reason);
    if (reason != Stopped::no) found_ = groma::judge(samples);
    if (leaves_out_start(point_) && found_.reached()) {
      const std::vector<std::int64_t> steady(samples.begin() + static_cast<std::ptrdiff_t>(found_.from), samples.end());
      if (within_a_phase || open_by_phases(steady)) found_ = {.state = State::unsteady, .segments = found_.segments};
      told[1] = static_cast<std::int64_t>(found_.from);
    }
  }
  MPI_Bcast(told, 2, MPI_INT64_T, 0, control_.get());
  stopped_ = static_cast<Stopped>(told[0]);
  return static_cast<std::size_t>(std::max<std::int64_t>(0, told[1]));
}

void StopRule::forget() {
  found_ = {};
  drawing_s_ = 0;
  stopped_ = Stopped::no;
}

}  // namespace groma
