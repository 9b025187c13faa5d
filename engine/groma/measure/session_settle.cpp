// What a session does about a slow start: calls until they are steady, and samples that came before the steady part.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "groma/measure/session.hpp"
#include "groma/stopping/interval.hpp"

namespace groma {
namespace {

/// A block this much shorter than asked is marked.
constexpr double block_tolerance = 0.8;

}  // namespace

/// Single calls until they are steady and a slow start would have been seen, or settle_s is over. The slow ones are
/// recorded as warm-up. Up to half the slot is theirs, so that a point of fast calls takes no longer for them.
void Session::settle() {
  constexpr std::int64_t patience = 8;  // times the calls needed: then calls that are not steady will not become so
  Settling& settling = history_.settling;
  const Configured& operation = sampler_.subject().configured();
  const int ranks = sampler_.subject().site().ranks;
  const Shape shape = shape_of(point_, ranks);
  settling.needed = calls_to_see(
      point_, {.messages = operation.messages(shape), .bytes = operation.bytes_moved(shape), .ranks = ranks});
  const std::int64_t begin_ns = Monotonic::now();
  std::int64_t judged_at = settling.needed;
  double next[2] = {static_cast<double>(std::min<std::int64_t>(10, settling.needed)), 1e9 * point_.settle_s};
  while (next[0] > 0) {
    const auto count = static_cast<std::int64_t>(next[0]);
    const Reduced reduced = sampler_.calls("settling", count, next[1]);
    settling.calls_ns.insert(settling.calls_ns.end(), reduced.samples.begin(), reduced.samples.end());
    const std::int64_t made = static_cast<std::int64_t>(reduced.samples.size()) + reduced.invalid;  // fewer at the end
    settling.made += made;
    const auto spent_ns = static_cast<double>(Monotonic::now() - begin_ns);
    const double left_ns = 1e9 * point_.settle_s - spent_ns;
    if (first_member()) {
      // Where most starts come late, each batch only sets them further ahead.
      const bool late = 2 * reduced.invalid > made;
      const bool over = late || left_ns <= 0 || settling.made >= patience * settling.needed;
      if (over || settling.made >= judged_at) {
        settling.found = judge(settling.calls_ns);
        judged_at = settling.made + settling.made / 2;
      }
      const double fitting = left_ns / (spent_ns / static_cast<double>(settling.made));
      const auto wanted = std::min<std::int64_t>(longest_batch, judged_at - settling.made);
      next[0] =
          over || settling.seen() ? 0 : std::ceil(std::clamp(fitting, 1.0, std::max(1.0, static_cast<double>(wanted))));
      next[1] = left_ns;
    }
    MPI_Bcast(next, 2, MPI_DOUBLE, 0, party_.control.get());
  }
  double took_s = 1e-9 * static_cast<double>(Monotonic::now() - begin_ns);
  MPI_Bcast(&took_s, 1, MPI_DOUBLE, 0, party_.control.get());
  point_.slot_s -= std::min(took_s, point_.slot_s / 2);
  history_.warmup_ns.insert(history_.warmup_ns.end(), settling.calls_ns.begin(),
                            settling.calls_ns.begin() + static_cast<std::ptrdiff_t>(settling.found.from));
}

/// The shortest block that lasts block_s and 100 steps of the clock, found by growing it. Each is made twice and the
/// shorter counts, so that one interruption does not pass for a long block.
void Session::choose_block() {
  constexpr double longest_calls = 1e9;
  // A block longer than this is not made just to be looked at: a tenth of it tells how long it takes.
  constexpr double looked_at_ns = 5e7;
  const double target_ns = std::max(1e9 * point_.block_s, 100 * sampler_.clock().resolution_ns);
  history_.block_target_ns = target_ns;
  const double telling_ns = target_ns > looked_at_ns ? std::max(looked_at_ns, target_ns / 10) : target_ns;
  std::int64_t block = std::max<std::int64_t>(1, point_.block);
  sampler_.set_block(block);
  bool growing = point_.block == 0;
  while (growing) {
    const Reduced reduced = sampler_.blocks("choosing the block", 2, no_limit);
    double next[2] = {0, 0};  // its length, and whether to go on from there
    if (first_member() && !reduced.samples.empty()) {
      const double took_ns =
          std::max(1.0, static_cast<double>(*std::min_element(reduced.samples.begin(), reduced.samples.end())));
      const double growth = took_ns < telling_ns ? std::clamp(1.1 * telling_ns / took_ns, 1.5, 16.0)
                                                 : std::max(1.0, 1.1 * target_ns / took_ns);
      if (took_ns < target_ns) next[0] = std::min(std::ceil(static_cast<double>(block) * growth), longest_calls);
      if (took_ns < telling_ns) next[1] = 1;
    }
    MPI_Bcast(next, 2, MPI_DOUBLE, 0, party_.control.get());
    growing = next[1] > 0 && static_cast<std::int64_t>(next[0]) > block;
    block = std::max(block, static_cast<std::int64_t>(next[0]));
    sampler_.set_block(block);
  }
  if (point_.block == 0 && settles(point_)) sampler_.set_block(std::max(block, block_for_mean()));
}

/// The length of a block that the single calls ask for, as far as min_repetitions of them fit into half the slot.
std::int64_t Session::block_for_mean() {
  std::int64_t lengths[2] = {1, 1};  // asked for, and affordable
  const std::vector<std::int64_t> calls = history_.settling.steady();
  if (first_member() && !calls.empty()) {
    const double most_ns = 1e9 * point_.slot_s / 2 / static_cast<double>(point_.min_repetitions);
    lengths[0] = calls_for_mean(calls);
    lengths[1] = std::min(lengths[0], static_cast<std::int64_t>(most_ns / std::max(1.0, mean_of(calls))));
  }
  MPI_Bcast(lengths, 2, MPI_INT64_T, 0, party_.control.get());
  history_.wanted_block = std::max(history_.wanted_block, lengths[0]);
  return lengths[1];
}

/// True if calls and samples were of one level, or came to it from slower ones only. Samples that are too few to be
/// judged must be where single calls were: in longer blocks they can't be compared with those.
bool Session::verified() const {
  if (!history_.settling.seen() || !history_.settling.found.settled()) return false;
  if (rule_.found().state != State::unknown) return rule_.found().settled();
  const MedianInterval calls = median_interval_or_range(history_.settling.steady());
  return sampler_.block() == 1 && gap_between(calls, median_interval_or_range(samples_.ns())) <= same_level;
}

std::optional<schema::Calls> Session::calls() const {
  if (history_.settling.needed == 0) return std::nullopt;
  const std::vector<std::int64_t> steady = history_.settling.steady();
  return schema::Calls{.made = history_.settling.made,
                       .needed = history_.settling.needed,
                       .state = std::string(state_name(history_.settling.found.state)),
                       .steady_from = history_.settling.found.from,
                       .median_ns = median_of(steady),
                       .mean_ns = mean_of(steady),
                       .slow_share = slow_share(steady)};
}

/// How steady the samples were, and what was left out of them for it.
void Session::add_steadiness(schema::Point& record) const {
  for (const Segment& one : rule_.found().segments) {
    record.segments.push_back({.from = one.from, .median_ns = one.median});
  }
  record.state = state_name(rule_.found().state);
  record.steady_from = rule_.found().from;
  record.discarded_ns = samples_.discarded_ns();
  record.calls = calls();
  if (point_.stop != method::Stop::reps) record.slot_left_s = point_.slot_s;
  if (history_.settling.needed > 0) record.verified = verified();
  record.block_short = point_.timing == method::Timing::block && point_.block == 0 &&
                       (sampler_.block() < history_.wanted_block ||
                        median_of(samples_.ns()) < block_tolerance * history_.block_target_ns);
}

}  // namespace groma
