#include "groma/measure/session.hpp"

#include <algorithm>
#include <cmath>

#include "groma/measure/interval.hpp"
#include "groma/measure/random.hpp"
#include "groma/measure/site.hpp"
#include "groma/measure/syncs.hpp"
#include "groma/plan/validate.hpp"
#include "groma/plan/words.hpp"

namespace groma {
namespace {

Needs own_needs(const Configured& operation, const Point& point, const Party& party) {
  return needs_of(operation.info(), point, operation.memory(extents_of(point, party.work.size())));
}

std::uint64_t seed_of(const Workshop& workshop, std::int64_t index, std::uint64_t purpose) {
  return static_cast<std::uint64_t>(workshop.seed) * 1'000'003U + static_cast<std::uint64_t>(index) * 2U + purpose;
}

}  // namespace

bool needs_global_clock(const Point& point) {
  return point.sync == method::Sync::window || point.sync == method::Sync::roundtime ||
         point.reduce == method::Reduce::span || point.reduce == method::Reduce::post_arrival;
}

bool tells_skew(const Info& info, const Point& point) {
  // A barrier's exit skew differs from library to library.
  return needs_global_clock(point) || info.family == Family::collective || point.sync == method::Sync::barrier;
}

std::string point_text(const Point& point, std::size_t members) {
  return point.operation + ", " + (point.bytes > 0 ? size_text(point.bytes) + ", " : "") + std::to_string(members) +
         " ranks";
}

Session::Session(const Workshop& workshop, const Configured& operation, const Point& point, const Party& party,
                 const GlobalClock* global, std::int64_t index)
    : workshop_(workshop),
      configured_(operation),
      entry_(configured_.entry()),
      asked_(point),
      point_(own_share(point, party.work.size())),
      party_(party),
      seat_(party.control.rank()),
      seats_(party.control.size()),
      global_(global),
      index_(index),
      layout_type_(derived_type(point_)),
      site_(site_of(entry_.info, point_, party, layout_type_)),
      payload_(entry_.info, point_, site_, lay_out(workshop.arena, point_), expected_payload()),
      cache_(point_, own_needs(operation, point_, party), workshop.arena, workshop.seed),
      operation_(configured_.make(site_, buffers_for(entry_.info, point_, lay_out(workshop.arena, point_)))),
      clock_(workshop.clocks[clock_index(point_.clock)]),
      pacer_(point_, clock_, global, party.control, seed_of(workshop, index, 1)),
      start_(longest_batch),
      end_(longest_batch),
      root_state_(seed_of(workshop, index, 0)) {}

Expected Session::expected_payload() const {
  const Memory messages = configured_.memory({.bytes = 1, .ranks = site_.ranks});
  return {configured_.contents(site_), messages.send_bytes, messages.receive_bytes};
}

void Session::open() {
  opened_ns_ = Monotonic::now();
  MPI_Barrier(party_.control.get());
  for (int trial = 1; trial <= 2 && !done_; ++trial) validated_call(trial);
  if (done_) return;
  pacer_.prepare([this] { return pilot(); });
  settle_starts();
  for (std::int64_t left = point_.warmups; left > 0; left -= longest_batch) {
    const Reduced reduced = run_calls("warming up", std::min(left, longest_batch), no_limit);
    warmup_.insert(warmup_.end(), reduced.samples.begin(), reduced.samples.end());
  }
  if (settles(point_)) settle();
  if (point_.timing == method::Timing::block) choose_block();
}

/// One timed call, started by a barrier, whose result is then compared. The first is the record's first call.
void Session::validated_call(int trial) {
  schedule_roots(1);
  const int root = rooted() ? roots_[0] : 0;
  fill(trial, root);
  const Loop loop = entry_.call[clock_index(point_.clock)][sync_index(method::Sync::barrier)];
  const Made made = make_calls(trial == 1 ? "first call" : "validated call", loop, 1, {}, Caches::as_they_are);
  const Reduced reduced = reduce(made.times, roots_);
  if (trial == 1) first_call_ns_ = reduced.samples.front();
  if (trial == 2) warmup_.push_back(reduced.samples.front());
  check_payload(trial, root);
}

/// Fills the arrays, and has the operation begin with them as they lie: some exchange them between calls.
void Session::fill(int trial, int root) {
  payload_.fill(trial, root);
  entry_.place(operation_.get(), buffers_for(entry_.info, point_, lay_out(workshop_.arena, point_)));
}

void Session::check_payload(int trial, int root) {
  const auto wrong = payload_.verify(trial, root);
  const int mine = wrong ? seat_ : seats_;
  int first = 0;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, party_.control.get());
  checked_ = payload_.checked_elements(root);
  MPI_Allreduce(MPI_IN_PLACE, &checked_, 1, MPI_INT64_T, MPI_SUM, party_.control.get());
  if (first == seats_) return;
  std::string text;
  if (mine == first) {
    text = point_text(point_, party_.members.size()) + ": wrong data on rank " +
           std::to_string(party_.members[static_cast<std::size_t>(first)]) + " at offset " +
           std::to_string(wrong->offset_bytes) + ": expected " + plain_number(wrong->expected) + ", found " +
           plain_number(wrong->found);
  }
  failure_ = broadcast_text(party_.control, text, first);
  failure_reason_ = "wrong_data";
  failed_ranks_ = {party_.members[static_cast<std::size_t>(first)]};
  done_ = true;
}

/// Wall times from preparation to the slowest rank's end, barrier-started: what a window must hold.
std::vector<std::int64_t> Session::pilot() {
  constexpr int trials = 20;
  const Loop loop = entry_.call[clock_index(point_.clock)][sync_index(method::Sync::barrier)];
  std::vector<std::int64_t> walls;
  for (int trial = 0; trial < trials; ++trial) {
    MPI_Barrier(party_.control.get());
    const std::int64_t before = Monotonic::now();
    schedule_roots(1);
    make_calls("sizing the window", loop, 1, {}, Caches::prepared);
    walls.push_back(Monotonic::now() - before);
  }
  MPI_Allreduce(MPI_IN_PLACE, walls.data(), trials, MPI_INT64_T, MPI_MAX, party_.control.get());
  return walls;
}

void Session::schedule_roots(std::int64_t count) {
  if (rooted()) {
    const auto ranks = static_cast<std::uint64_t>(site_.ranks);
    const auto first = static_cast<std::uint64_t>(point_.root_rank);
    roots_.resize(std::max(roots_.size(), static_cast<std::size_t>(count)));
    for (std::int64_t i = 0; i < count; ++i) {
      std::uint64_t root = first;
      if (point_.root == method::Root::rotate) root = (first + static_cast<std::uint64_t>(calls_made_ + i)) % ranks;
      if (point_.root == method::Root::random) root = next_random(root_state_) % ranks;
      roots_[static_cast<std::size_t>(i)] = static_cast<int>(root);
    }
  }
  calls_made_ += count;
}

void Session::note(const char* stage, std::int64_t count) {
  std::fill_n(start_.begin(), count, 0);
  std::fill_n(end_.begin(), count, 0);
  if (workshop_.watchdog != nullptr) workshop_.watchdog->enter(stage, start_.data(), end_.data(), count);
}

void Session::prepare_cache() {
  const Arrays arrays = cache_.next();
  if (point_.cache == method::Cache::rotate) entry_.place(operation_.get(), buffers_for(entry_.info, point_, arrays));
}

/// Calls with the roots that were scheduled last. A state of the caches is prepared before each call of its own loop,
/// so that the loop itself knows nothing of it.
Session::Made Session::make_calls(const char* stage, Loop loop, std::int64_t count, Pace pace, Caches caches) {
  note(stage, count);
  if (cache_.warm() || caches == Caches::as_they_are) {
    return collect(
        loop(operation_.get(), {start_.data(), end_.data(), roots_.data(), count, meeting(pace), wait_ns(1)}));
  }
  const bool paced = pace.late != nullptr;
  for (std::int64_t i = 0; i < count; ++i) {
    int time_is_up = i > 0 && paced && clock_.now() > pace.deadline_ticks ? 1 : 0;
    if (paced) MPI_Bcast(&time_is_up, 1, MPI_INT, 0, party_.control.get());
    if (time_is_up == 1) return collect(i);
    prepare_cache();
    // An announced start finds all ranks waiting for it, however long each took to prepare.
    if (point_.sync == method::Sync::roundtime && paced) MPI_Barrier(party_.control.get());
    const auto at = static_cast<std::size_t>(i);
    loop(operation_.get(), {&start_[at], &end_[at], roots_.data() + (rooted() ? i : 0), 1, meeting(pace), wait_ns(1)});
    if (!paced) continue;
    ++pace.late;
    ++pace.delay;
    if (pace.begin != nullptr) ++pace.begin;
  }
  return collect(count);
}

/// How long a sample of so many repetitions waits before its closing stamp where the point is slowed on purpose. The
/// wait ends between two readings of the clock: half a reading less makes it last as long as asked on the average.
std::int64_t Session::wait_ns(std::int64_t repetitions) const {
  const double asked_ns = point_.added_ns * static_cast<double>(repetitions);
  return std::max<std::int64_t>(0, std::llround(asked_ns - clock_.read_ns / 2));
}

Session::Made Session::make_blocks(const char* stage, std::int64_t count, Pace pace) {
  const std::size_t clock = clock_index(point_.clock);
  const SyncCalls sync = sync_calls(clock, sync_index(point_.sync));
  const Loop loop = point_.added_ns > 0 ? entry_.slowed_block : entry_.block[clock];
  note(stage, count);
  for (std::int64_t i = 0; i < count; ++i) {
    schedule_roots(block_);
    const auto at = static_cast<std::size_t>(i);
    const Batch batch{&start_[at], &end_[at], roots_.data(), block_, meeting(pace), wait_ns(block_)};
    sync.wait(batch.meeting, i);
    loop(operation_.get(), batch);
    if (sync.after(batch.meeting, i)) return collect(i + 1);
  }
  return collect(count);
}

/// What the operation timed in the repetitions that are valid, since it was last asked.
std::vector<std::int64_t> Session::take_phases(const std::vector<std::size_t>& valid) {
  std::vector<std::int64_t> kept;
  if (entry_.take_phases == nullptr) return kept;
  const std::vector<std::int64_t> taken = entry_.take_phases(operation_.get());
  const std::size_t width = entry_.phases.size();
  for (const std::size_t at : valid) {
    for (std::size_t phase = 0; phase < width; ++phase) kept.push_back(taken[at * width + phase]);
  }
  return kept;
}

/// The stamps of the last `count` repetitions in nanoseconds, global where there is a global clock.
Session::Made Session::collect(std::int64_t count) const {
  Made made{.times = {}, .count = count};
  const auto n = static_cast<std::size_t>(count);
  made.times.enter.resize(n);
  made.times.leave.resize(n);
  made.times.late.assign(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    made.times.enter[i] = clock_.to_ns(start_[i]);
    made.times.leave[i] = clock_.to_ns(end_[i]);
    if (global_ == nullptr) continue;
    made.times.enter[i] = global_->to_global(made.times.enter[i]);
    made.times.leave[i] = global_->to_global(made.times.leave[i]);
  }
  return made;
}

Reduced Session::reduce(const RankTimes& times, const std::vector<int>& roots) const {
  const Timing timing{.rank = site_.rank, .first = site_.first, .groups = party_.groups};
  return reduce_ranks(party_.control, entry_.info, point_, timing, times, roots, global_ != nullptr);
}

Reduced Session::run_calls(const char* stage, std::int64_t count, double slot_ns) {
  schedule_roots(count);
  // Calls in blocks follow each other without a barrier, and so do those before them.
  const bool back_to_back = point_.timing == method::Timing::block && !pacer_.paced();
  const std::size_t sync = sync_index(back_to_back ? method::Sync::none : point_.sync);
  const Loop loop = point_.added_ns > 0 ? entry_.slowed_call[sync] : entry_.call[clock_index(point_.clock)][sync];
  take_phases({});
  Made made = make_calls(stage, loop, count, pacer_.next(count, slot_ns), Caches::prepared);
  pacer_.mark_overruns(end_, made.count);
  made.times.late = pacer_.late_ns(made.count);
  Reduced reduced = reduce(made.times, roots_);
  reduced.phases = take_phases(reduced.valid);
  pacer_.learn(reduced.late, made.count);
  return reduced;
}

Reduced Session::run_blocks(const char* stage, std::int64_t count, double slot_ns) {
  Made made = make_blocks(stage, count, pacer_.next(count, slot_ns));
  pacer_.mark_overruns(end_, made.count);
  made.times.late = pacer_.late_ns(made.count);
  // The root of a block is that of its first call.
  const std::vector<int> roots(static_cast<std::size_t>(made.count), rooted() ? roots_[0] : 0);
  Reduced reduced = reduce(made.times, roots);
  pacer_.learn(reduced.late, made.count);
  return reduced;
}

/// The shortest block that lasts block_s and 100 steps of the clock, found by growing it. Each is made twice and the
/// shorter counts, so that one interruption does not pass for a long block.
void Session::choose_block() {
  constexpr double longest_calls = 1e9;
  // A block longer than this is not made just to be looked at: a tenth of it tells how long it takes.
  constexpr double looked_at_ns = 5e7;
  const double target_ns = std::max(1e9 * point_.block_s, 100 * clock_.resolution_ns);
  block_target_ns_ = target_ns;
  const double telling_ns = target_ns > looked_at_ns ? std::max(looked_at_ns, target_ns / 10) : target_ns;
  block_ = std::max<std::int64_t>(1, point_.block);
  bool growing = point_.block == 0;
  while (growing) {
    const Reduced reduced = run_blocks("choosing the block", 2, no_limit);
    double next[2] = {0, 0};  // its length, and whether to go on from there
    if (first_member() && !reduced.samples.empty()) {
      const double took_ns =
          std::max(1.0, static_cast<double>(*std::min_element(reduced.samples.begin(), reduced.samples.end())));
      const double growth = took_ns < telling_ns ? std::clamp(1.1 * telling_ns / took_ns, 1.5, 16.0)
                                                 : std::max(1.0, 1.1 * target_ns / took_ns);
      if (took_ns < target_ns) next[0] = std::min(std::ceil(static_cast<double>(block_) * growth), longest_calls);
      if (took_ns < telling_ns) next[1] = 1;
    }
    MPI_Bcast(next, 2, MPI_DOUBLE, 0, party_.control.get());
    growing = next[1] > 0 && static_cast<std::int64_t>(next[0]) > block_;
    block_ = std::max(block_, static_cast<std::int64_t>(next[0]));
  }
  if (point_.block == 0 && settles(point_)) block_ = std::max(block_, block_for_mean());
}

std::int64_t Session::next_count(std::int64_t most) const {
  double expected_s = 0;
  if (!samples_.empty()) {
    expected_s = drawing_s_ / static_cast<double>(samples_.size());
  } else if (!warmup_.empty()) {
    expected_s = 1e-9 * median_of(warmup_) * static_cast<double>(block_);
  }
  return std::min(most, next_batch(point_, static_cast<std::int64_t>(samples_.size()), drawing_s_, expected_s));
}

void Session::draw(std::int64_t most) {
  const std::int64_t begin_ns = Monotonic::now();
  double plan[2] = {static_cast<double>(next_count(most)),
                    point_.stop == method::Stop::reps ? no_limit : 1e9 * std::max(0.0, point_.slot_s - drawing_s_)};
  MPI_Bcast(plan, 2, MPI_DOUBLE, 0, party_.control.get());
  const auto count = static_cast<std::int64_t>(plan[0]);
  constexpr int trial = 3;
  const bool leftovers =
      point_.check && payload_.repeatable() && (!rooted() || point_.root == method::Root::fixed) && cache_.warm();
  const int root = static_cast<int>(point_.root_rank);
  if (leftovers) fill(trial, root);
  const Reduced batch = point_.timing == method::Timing::block ? run_blocks("sampling", count, plan[1])
                                                               : run_calls("sampling", count, plan[1]);
  keep(batch);
  if (leftovers) check_payload(trial, root);
  if (point_.check && !leftovers) validated_call(trial);
  drawing_s_ += 1e-9 * static_cast<double>(Monotonic::now() - begin_ns);
  judge_samples();
  reconsider_starts(batch);
  require_samples();
  if (done_ && global_ != nullptr && entry_.info.family == Family::collective) summarise_completion();
  if (done_ && point_.per_rank) gather_ranks();
  closed_ns_ = Monotonic::now();
}

/// Whether the samples are enough, and, when the point is done, from which one on they were steady.
void Session::judge_samples() {
  std::int64_t told[2] = {static_cast<std::int64_t>(Stopped::no), 0};
  if (first_member()) {
    Stopped reason = enough(point_, samples_, invalid_, drawing_s_);
    const auto held = static_cast<std::int64_t>(samples_.size()) * block_;
    const bool within_a_phase = held < std::min(phase_calls_, point_.max_repetitions * block_);
    if (reason == Stopped::precision && within_a_phase) reason = Stopped::no;
    told[0] = static_cast<std::int64_t>(reason);
    if (reason != Stopped::no) found_ = judge(samples_);
    if (leaves_out_start(point_) && found_.reached()) {
      const std::vector<std::int64_t> steady(samples_.begin() + static_cast<std::ptrdiff_t>(found_.from),
                                             samples_.end());
      if (within_a_phase || open_by_phases(steady)) found_ = {.state = State::unsteady, .segments = found_.segments};
      told[1] = static_cast<std::int64_t>(found_.from);
    }
  }
  MPI_Bcast(told, 2, MPI_INT64_T, 0, party_.control.get());
  stopped_ = static_cast<Stopped>(told[0]);
  done_ = done_ || stopped_ != Stopped::no;
  if (told[1] > 0) leave_out_start(static_cast<std::size_t>(told[1]));
}

/// How the ranks came out of the last batch: the medians over repetitions of the quantiles over ranks.
void Session::summarise_completion() {
  std::array<std::vector<std::int64_t>, 5> numbers;
  for (const FiveNumbers& one : over_ranks(party_.control, own_completion_)) {
    for (std::size_t k = 0; k < one.size(); ++k) numbers[k].push_back(one[k]);
  }
  for (std::size_t k = 0; k < completion_.size(); ++k) completion_[k] = std::llround(median_of(numbers[k]));
}

/// The one thing whose size grows with the ranks, and therefore made only where it was asked for.
void Session::gather_ranks() {
  const auto n = static_cast<int>(own_.size());
  if (first_member()) all_ranks_.resize(own_.size() * static_cast<std::size_t>(seats_));
  MPI_Gather(own_.data(), n, MPI_INT64_T, all_ranks_.data(), n, MPI_INT64_T, 0, party_.control.get());
}

void Session::keep(const Reduced& reduced) {
  invalid_ += reduced.invalid;
  excess_ns_ = std::max(excess_ns_, reduced.excess_ns);
  samples_.insert(samples_.end(), reduced.samples.begin(), reduced.samples.end());
  if (point_.per_rank) own_.insert(own_.end(), reduced.own.begin(), reduced.own.end());
  phases_.insert(phases_.end(), reduced.phases.begin(), reduced.phases.end());
  arrival_skew_.insert(arrival_skew_.end(), reduced.arrival_skew.begin(), reduced.arrival_skew.end());
  if (!reduced.own_completion.empty()) own_completion_ = reduced.own_completion;
}

}  // namespace groma
