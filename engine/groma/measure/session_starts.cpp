// Starts at agreed times that the ranks do not keep: given more room, and if that fails, replaced by a method
// that needs none. A point that gives no sample in the end is a failure with its cause, never a record without figures.
#include <optional>
#include <utility>

#include "groma/measure/session.hpp"

namespace groma {
namespace {

/// The next sound way to bring ranks together, which asks less of them; nothing if there is none.
std::optional<method::Sync> easier_than(const Point& point) {
  if (point.force || point.arrival != method::Arrival::together) return {};
  if (point.sync == method::Sync::window) return method::Sync::roundtime;
  if (point.sync == method::Sync::roundtime) return method::Sync::barrier;
  return {};
}

}  // namespace

/// A few repetitions at a time, each with what was learned from those before, until most are kept. A brief point learns
/// from its samples.
void Session::settle_starts() {
  if (sampler_.brief()) return;
  constexpr std::int64_t repetitions = 4;
  constexpr int most_trials = 6;
  int trials = 0;
  while (sampler_.pacer().paced()) {
    if (trials == most_trials || sampler_.pacer().too_long_ahead()) {
      if (!give_way()) return;
      trials = 0;
      continue;
    }
    ++trials;
    const Reduced reduced = sampler_.calls("trying the starts", repetitions, no_limit);
    starts_.count(reduced);
    if (2 * reduced.invalid <= repetitions) break;
  }
  starts_.begin_anew();
}

/// Where more than half of the repetitions are dropped, those that are left are no fair choice. Calls may have become
/// slower since the starts were settled: what the pacer learned from these repetitions is tried once before another
/// way.
void Session::reconsider_starts(const Reduced& batch) {
  if (failure_) return;
  starts_.count(batch);
  constexpr std::int64_t enough_tries = 20;
  const bool judged = starts_.tried() >= enough_tries || rule_.stopped();
  const bool too_long_ahead = sampler_.pacer().too_long_ahead();
  if (!(starts_.mostly() && judged) && !too_long_ahead) return;
  if (too_long_ahead || !starts_.one_more_chance()) {
    if (!give_way()) return;
  }
  samples_.forget();
  rule_.forget();
}

/// Takes the next sound way to start and says why; false if there is none.
bool Session::give_way() {
  const std::optional<method::Sync> next = easier_than(point_);
  if (!next) return false;
  starts_.give_up(point_.sync, sampler_.pacer());
  point_.sync = asked_.sync = *next;
  sampler_.change_sync(*next);
  return true;
}

/// A point without a sample has no figure: it is a failure, which says what to change.
void Session::require_samples() {
  if (!done() || !samples_.ns().empty() || failure_) return;
  const std::string remedy =
      asked_.arrival != method::Arrival::together
          ? "arrival=" + name_of(asked_.arrival) + " needs such starts: use fewer ranks, or a quieter machine"
      : asked_.force ? "use sync=barrier, or leave force out"
                     : "use sync=barrier";
  std::string message = point_text(point_, party_.members.size()) + ": no figure, because " +
                        (sampler_.pacer().paced()
                             ? starts_.text(point_.sync, sampler_.pacer()) + "; " + remedy
                             : "no repetition was valid (stopped by " + std::string(stopped_by(rule_.reason())) + ")");
  failure_ = Failure{.reason = "no_samples", .message = std::move(message), .ranks = {}};
}

}  // namespace groma
