// Starts at agreed times that the ranks do not keep: given more room, and where that is in vain, left for a method
// that needs none. A point that gives no sample in the end is a failure with its cause, never a record without figures.
#include <cstdio>
#include <optional>

#include "groma/measure/interval.hpp"
#include "groma/measure/session.hpp"

namespace groma {
namespace {

/// The next sound way to bring ranks together, which asks less of them; nothing where there is none.
std::optional<method::Sync> easier_than(const Point& point) {
  if (point.force || point.arrival != method::Arrival::together) return {};
  if (point.sync == method::Sync::window) return method::Sync::roundtime;
  if (point.sync == method::Sync::roundtime) return method::Sync::barrier;
  return {};
}

std::string time_text(std::int64_t ns) {
  char text[32];
  const bool long_one = ns >= 1'000'000;
  std::snprintf(text, sizeof text, "%.3g %s", static_cast<double>(ns) / (long_one ? 1e6 : 1e3), long_one ? "ms" : "us");
  return text;
}

}  // namespace

/// A few repetitions at a time, each with what was learned from those before, until most are kept.
void Session::settle_starts() {
  constexpr std::int64_t repetitions = 4;
  constexpr int most_trials = 6;
  int trials = 0;
  while (pacer_.paced()) {
    if (trials == most_trials || pacer_.too_long_ahead()) {
      if (!give_way()) return;
      trials = 0;
      continue;
    }
    ++trials;
    const Reduced reduced = run_calls("trying the starts", repetitions, no_limit);
    count_missed(reduced);
    if (2 * reduced.invalid <= repetitions) break;
  }
  missed_ns_.clear();
  tried_ = 0;
}

void Session::count_missed(const Reduced& batch) {
  missed_ns_.insert(missed_ns_.end(), batch.late.begin(), batch.late.end());
  tried_ += batch.invalid + static_cast<std::int64_t>(batch.samples.size());
}

/// Where more than half of the repetitions are dropped, those that are left are no fair choice.
void Session::reconsider_starts(const Reduced& batch) {
  if (!failure_.empty()) return;
  count_missed(batch);
  constexpr std::int64_t enough_tries = 20;
  const bool judged = tried_ >= enough_tries || stopped_ != Stopped::no;
  const bool mostly_missed = 2 * static_cast<std::int64_t>(missed_ns_.size()) > tried_;
  if (((mostly_missed && judged) || pacer_.too_long_ahead()) && give_way()) forget_samples();
}

/// Takes the next sound way to start and says why; false where there is none.
bool Session::give_way() {
  const std::optional<method::Sync> next = easier_than(point_);
  if (!next) return false;
  replaced_.push_back({.asked = replaced_.empty() ? asked_.sync : replaced_.front().asked, .because = missed_starts()});
  point_.sync = asked_.sync = *next;
  pacer_.change(*next);
  missed_ns_.clear();
  tried_ = 0;
  return true;
}

/// Sampling begins anew: samples of two methods are not of one point.
void Session::forget_samples() {
  samples_.clear();
  own_.clear();
  phases_.clear();
  arrival_skew_.clear();
  discarded_.clear();
  found_ = {};
  invalid_ = 0;
  excess_ns_ = 0;
  drawing_s_ = 0;
  stopped_ = Stopped::no;
  done_ = false;
}

/// "16 of 20 repetitions missed their starts under sync=roundtime, by 30.1 us in the median, with starts announced
/// 160 us ahead"
std::string Session::missed_starts() const {
  if (missed_ns_.empty()) {
    return "under sync=" + name_of(point_.sync) + " starts would have to be announced " + time_text(pacer_.lead_ns()) +
           " ahead";
  }
  std::string text = std::to_string(missed_ns_.size()) + " of " + std::to_string(tried_) +
                     " repetitions missed their starts under sync=" + name_of(point_.sync);
  text += ", by " + time_text(static_cast<std::int64_t>(median_of(missed_ns_))) + " in the median";
  const bool windows = pacer_.window_ns() > 0;
  return text + (windows ? ", with windows of " + time_text(pacer_.window_ns())
                         : ", with starts announced " + time_text(pacer_.lead_ns()) + " ahead");
}

/// A point without a sample has no figure: it is a failure, which says what to change.
void Session::require_samples() {
  if (!done_ || !samples_.empty() || !failure_.empty()) return;
  const std::string remedy =
      asked_.arrival != method::Arrival::together
          ? "arrival=" + name_of(asked_.arrival) + " needs such starts: use fewer ranks, or a quieter machine"
      : asked_.force ? "use sync=barrier, or leave force out"
                     : "use sync=barrier";
  failure_ = point_text(point_, party_.members.size()) + ": no figure, because " +
             (pacer_.paced() ? missed_starts() + "; " + remedy
                             : "no repetition was valid (stopped by " + std::string(stopped_by(stopped_)) + ")");
  failure_reason_ = "no_samples";
}

}  // namespace groma
