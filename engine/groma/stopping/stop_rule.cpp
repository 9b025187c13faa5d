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

bool StopRule::too_short(const std::vector<std::int64_t>& steady, std::int64_t block) const {
  return static_cast<std::int64_t>(steady.size()) * block < std::min(phases_.calls, point_.max_repetitions * block);
}

bool StopRule::open(const std::vector<std::int64_t>& steady, std::int64_t block) const {
  if (too_short(steady, block)) return true;
  const bool of_one_phase = phases_.spread > widest_of_phases && spread_of(steady) < phases_.spread / 2;
  return of_one_phase || open_by_phases(steady, usual_deviations, phases_.inflation(block));
}

Stopped StopRule::decide(const std::vector<std::int64_t>& samples, std::int64_t invalid, std::int64_t block) {
  Stopped reason = enough(point_, samples, invalid, drawing_s_);
  if (reason == Stopped::no) return reason;
  found_ = groma::judge(samples);
  const std::vector<std::int64_t> steady(samples.begin() + static_cast<std::ptrdiff_t>(found_.from), samples.end());
  if (reason == Stopped::precision && too_short(steady, block)) {
    if (drawing_s_ < point_.slot_s) return Stopped::no;
    reason = Stopped::slot;
  }
  if (leaves_out_start(point_) && found_.reached() && open(steady, block)) {
    found_ = {.state = State::unsteady, .segments = found_.segments};
  }
  return reason;
}

std::size_t StopRule::judge(const std::vector<std::int64_t>& samples, std::int64_t invalid, std::int64_t block) {
  std::int64_t told[2] = {static_cast<std::int64_t>(Stopped::no), 0};
  if (control_.rank() == 0) {
    const Stopped reason = decide(samples, invalid, block);
    told[0] = static_cast<std::int64_t>(reason);
    if (reason != Stopped::no && leaves_out_start(point_)) told[1] = static_cast<std::int64_t>(found_.from);
  }
  MPI_Bcast(told, 2, MPI_INT64_T, 0, control_.get());
  stopped_ = static_cast<Stopped>(told[0]);
  return static_cast<std::size_t>(told[1]);
}

void StopRule::forget() {
  found_ = {};
  drawing_s_ = 0;
  stopped_ = Stopped::no;
}

}  // namespace groma
