// What a session does about a slow start: calls until they are steady, and samples that came before the steady part.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "groma/measure/interval.hpp"
#include "groma/measure/session.hpp"

namespace groma {
namespace {

template <class Value>
void drop_front(std::vector<Value>& values, std::size_t count) {
  values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(std::min(count, values.size())));
}

}  // namespace

/// Single calls until they are steady and a slow start would have been seen, or settle_s is over. The slow ones are
/// recorded as warm-up. Up to half the slot is theirs, so that a point of fast calls takes no longer for them.
void Session::settle() {
  constexpr std::int64_t patience = 8;  // times the calls needed: then calls that are not steady will not become so
  const Shape shape = shape_of(point_, site_.ranks);
  settling_.needed = calls_to_see(
      point_, {.messages = configured_.messages(shape), .bytes = configured_.bytes_moved(shape), .ranks = site_.ranks});
  const std::int64_t begin_ns = Monotonic::now();
  std::int64_t judged_at = settling_.needed;
  double next[2] = {static_cast<double>(std::min<std::int64_t>(10, settling_.needed)), 1e9 * point_.settle_s};
  while (next[0] > 0) {
    const auto count = static_cast<std::int64_t>(next[0]);
    const Reduced reduced = run_calls("settling", count, next[1]);
    settling_.calls_ns.insert(settling_.calls_ns.end(), reduced.samples.begin(), reduced.samples.end());
    settling_.made += count;
    const auto spent_ns = static_cast<double>(Monotonic::now() - begin_ns);
    const double left_ns = 1e9 * point_.settle_s - spent_ns;
    if (first_member()) {
      // Where most starts come late, each batch only sets them further ahead.
      const bool late = 2 * reduced.invalid > count;
      const bool over = late || left_ns <= 0 || settling_.made >= patience * settling_.needed;
      if (over || settling_.made >= judged_at) {
        settling_.found = judge(settling_.calls_ns);
        judged_at = settling_.made + settling_.made / 2;
      }
      const double fitting = left_ns / (spent_ns / static_cast<double>(settling_.made));
      const auto wanted = std::min<std::int64_t>(longest_batch, judged_at - settling_.made);
      next[0] = over || settling_.seen()
                    ? 0
                    : std::ceil(std::clamp(fitting, 1.0, std::max(1.0, static_cast<double>(wanted))));
      next[1] = left_ns;
    }
    MPI_Bcast(next, 2, MPI_DOUBLE, 0, party_.control.get());
  }
  if (first_member()) phase_calls_ = settling_.calls_over_phases();
  double took_s = 1e-9 * static_cast<double>(Monotonic::now() - begin_ns);
  MPI_Bcast(&took_s, 1, MPI_DOUBLE, 0, party_.control.get());
  point_.slot_s -= std::min(took_s, point_.slot_s / 2);
  warmup_.insert(warmup_.end(), settling_.calls_ns.begin(),
                 settling_.calls_ns.begin() + static_cast<std::ptrdiff_t>(settling_.found.from));
}

/// The length of a block that the single calls ask for, as far as min_repetitions of them fit into half the slot.
std::int64_t Session::block_for_mean() {
  std::int64_t lengths[2] = {1, 1};  // asked for, and affordable
  const std::vector<std::int64_t> calls = settling_.steady();
  if (first_member() && !calls.empty()) {
    const double most_ns = 1e9 * point_.slot_s / 2 / static_cast<double>(point_.min_repetitions);
    lengths[0] = calls_for_mean(calls);
    lengths[1] = std::min(lengths[0], static_cast<std::int64_t>(most_ns / std::max(1.0, mean_of(calls))));
  }
  MPI_Bcast(lengths, 2, MPI_INT64_T, 0, party_.control.get());
  wanted_block_ = std::max(wanted_block_, lengths[0]);
  return lengths[1];
}

/// Takes the first samples out of everything that is recorded of each sample, and keeps them apart.
void Session::leave_out_start(std::size_t count) {
  discarded_.assign(samples_.begin(), samples_.begin() + static_cast<std::ptrdiff_t>(count));
  drop_front(samples_, count);
  drop_front(own_, point_.per_rank ? count : 0);
  drop_front(phases_, count * entry_.phases.size());
  drop_front(arrival_skew_, count);
}

/// Whether calls and samples were of one level, or came to it from slower ones only. Samples that are too few to be
/// judged must be where single calls were: in longer blocks they can't be compared with those.
bool Session::verified() const {
  if (!settling_.seen() || !settling_.found.settled()) return false;
  if (found_.state != State::unknown) return found_.settled();
  const MedianInterval calls = median_interval_or_range(settling_.steady());
  return block_ == 1 && gap_between(calls, median_interval_or_range(samples_)) <= same_level;
}

nlohmann::ordered_json Session::calls_json() const {
  if (settling_.needed == 0) return nullptr;
  const std::vector<std::int64_t> steady = settling_.steady();
  return {{"made", settling_.made},
          {"needed", settling_.needed},
          {"state", state_name(settling_.found.state)},
          {"steady_from", settling_.found.from},
          {"median_ns", median_of(steady)},
          {"mean_ns", mean_of(steady)},
          {"slow_share", slow_share(steady)}};
}

/// How steady the samples were, and what was left out of them for it.
void Session::add_steadiness(nlohmann::ordered_json& record) const {
  auto segments = nlohmann::ordered_json::array();
  for (const Segment& one : found_.segments) segments.push_back({{"from", one.from}, {"median_ns", one.median}});
  record["state"] = state_name(found_.state);
  record["steady_from"] = found_.from;
  record["segments"] = segments;
  record["discarded_ns"] = discarded_;
  record["calls"] = calls_json();
  record["slot_left_s"] = nullptr;
  if (point_.stop != method::Stop::reps) record["slot_left_s"] = point_.slot_s;
  record["verified"] = nullptr;
  if (settling_.needed > 0) record["verified"] = verified();
  record["block_short"] = point_.timing == method::Timing::block && point_.block == 0 &&
                          (block_ < wanted_block_ || median_of(samples_) < block_tolerance * block_target_ns_);
}

}  // namespace groma
