#include "groma/measure/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "groma/stopping/interval.hpp"
#include "groma/stopping/stop.hpp"
#include "groma/timed/syncs.hpp"

namespace groma {
namespace {

/// Where the arrays lie that MPI is given.
Arena arena_of(const LaunchContext& context, const Configured& operation, const Point& point, const Party& party) {
  if (point.allocation == payload::Allocation::mpi) {
    return Arena::of_mpi(arena_needs(point, own_needs(operation, point, party)), context.arena);
  }
  return Arena::of_regions(context.devices.send(send_kind(point)), context.devices.receive(receive_kind(point)),
                           context.arena);
}

/// The arrays that the host fills and reads: the launch's own in place of those on a device.
Arrays filled_by_host(const LaunchContext& context, const Arena& used, const Point& point) {
  const Arrays own = lay_out(used, point);
  const Arrays copies = lay_out(context.arena, point);
  return {for_host(send_kind(point)) ? own.send : copies.send,
          for_host(receive_kind(point)) ? own.receive : copies.receive};
}

std::uint64_t seed_of(const LaunchContext& context, std::int64_t index, std::uint64_t purpose) {
  return static_cast<std::uint64_t>(context.seed) * 1'000'003U + static_cast<std::uint64_t>(index) * 2U + purpose;
}

}  // namespace

Sampler::Sampler(const LaunchContext& context, const Configured& operation, const Point& point, const Party& party,
                 const GlobalClock* global, std::int64_t index)
    : watchdog_(context.watchdog),
      point_(point),
      party_(party),
      arena_(arena_of(context, operation, point, party)),
      subject_(operation, point, party, arena_, filled_by_host(context, arena_, point)),
      mirror_(point, own_needs(operation, point, party), lay_out(arena_, point),
              filled_by_host(context, arena_, point)),
      stamps_(context.clocks[clock_index(point.clock)], global, longest_batch),
      cache_(point, own_needs(operation, point, party), arena_, context.seed),
      pacer_(point, stamps_.clock(), global, party.control, seed_of(context, index, 1)),
      roots_(point, subject_.info().rooted, subject_.site().ranks, seed_of(context, index, 0)) {}

void Sampler::prepare() {
  pacer_.prepare([this] { return pilot(); });
}

/// Wall times from preparation to the slowest rank's end, barrier-started: what a window must hold.
std::vector<std::int64_t> Sampler::pilot() {
  const int trials = brief() ? 2 : 20;
  std::vector<std::int64_t> walls;
  for (int trial = 0; trial < trials; ++trial) {
    MPI_Barrier(party_.control.get());
    const std::int64_t before = Monotonic::now();
    roots_.schedule(1);
    make_calls("sizing the window", barrier_started(), 1, {}, Caches::prepared);
    walls.push_back(Monotonic::now() - before);
  }
  MPI_Allreduce(MPI_IN_PLACE, walls.data(), trials, MPI_INT64_T, MPI_MAX, party_.control.get());
  return walls;
}

Reduced Sampler::draw(const char* stage, std::int64_t count, double slot_ns) {
  return point_.timing == method::Timing::block ? blocks(stage, count, slot_ns) : calls(stage, count, slot_ns);
}

Reduced Sampler::calls(const char* stage, std::int64_t most, double slot_ns) {
  const std::int64_t count = pacer_.fitting(most, slot_ns);
  roots_.schedule(count);
  // Calls in blocks follow each other without a barrier, and so do those before them.
  const bool back_to_back = point_.timing == method::Timing::block && !pacer_.paced();
  const method::Sync sync = back_to_back ? method::Sync::none : point_.sync;
  const Entry& entry = subject_.entry();
  subject_.take_phases({});
  const std::int64_t made =
      make_calls(stage, {loops().call, sync}, count, pacer_.next(count, slot_ns), Caches::prepared);
  if (point_.timing == method::Timing::cycle) stamps_.join(made);
  Reduced reduced = reduce(paced_times(made), roots_.all());
  reduced.phases = subject_.take_phases(reduced.valid);
  if (!entry.phases.empty() && entry.info.timers != Timers::first) {
    reduced.phases = of_slowest(party_.control, std::move(reduced.phases), entry.phases.size());
  }
  pacer_.learn(reduced.late, made);
  return reduced;
}

Reduced Sampler::blocks(const char* stage, std::int64_t most, double slot_ns) {
  const std::int64_t count = pacer_.fitting(most, slot_ns);
  const std::int64_t made = make_blocks(stage, count, pacer_.next(count, slot_ns));
  // The root of a block is that of its first call.
  Reduced reduced = reduce(paced_times(made), std::vector<int>(static_cast<std::size_t>(made), roots_.first()));
  pacer_.learn(reduced.late, made);
  return reduced;
}

Reduced Sampler::recalled() {
  const std::vector<std::int64_t> took_ns = subject_.entry().happened();
  const RankTimes times{.enter = std::vector<std::int64_t>(took_ns.size()),
                        .leave = took_ns,
                        .late = std::vector<std::int64_t>(took_ns.size())};
  return reduce(times, std::vector<int>(took_ns.size()));
}

void Sampler::last_warmup() {
  roots_.schedule(1);
  make_calls("warming up", barrier_started(), 1, {}, Caches::prepared);
}

int Sampler::next_root() {
  roots_.schedule(1);
  return roots_.first();
}

Reduced Sampler::single_call(const char* stage) {
  return reduce(stamps_.times(make_calls(stage, barrier_started(), 1, {}, Caches::as_they_are)), roots_.all());
}

TouchFound Sampler::touch_time(double call_ns) {
  if (subject_.entry().time_touches == nullptr) return {};
  constexpr double most_ns = 5e7;
  const auto count = static_cast<std::size_t>(std::clamp(most_ns / std::max(1.0, call_ns), 5.0, 200.0));
  TouchTimes times{.write_ns = std::vector<std::int64_t>(count), .read_ns = std::vector<std::int64_t>(count)};
  note("timing touches", 0);
  MPI_Barrier(party_.control.get());
  subject_.entry().time_touches(subject_.operation(), times);
  const std::vector<std::int64_t> medians{std::llround(median_of(times.write_ns)),
                                          std::llround(median_of(times.read_ns))};
  const std::vector<FiveNumbers> all = over_ranks(party_.control, medians);
  return {.write_ns = writes(point_) ? std::optional(all[0]) : std::nullopt,
          .read_ns = reads(point_) ? std::optional(all[1]) : std::nullopt};
}

/// Calls with the roots that were scheduled last.
std::int64_t Sampler::make_calls(const char* stage, Started by, std::int64_t count, Pace pace, Caches caches) {
  note(stage, count);
  const Subject::Gathered threads(subject_);
  const bool prepared = !cache_.warm() && caches == Caches::prepared;
  const bool readied = subject_.on_file() && caches == Caches::prepared;
  if (prepared || readied || subject_.touching().around_calls()) return make_prepared_calls(by, count, pace);
  mirror_.synchronise();
  const Batch batch{stamps_.start(), stamps_.end(), roots_.from(0), count, meeting(by.sync, pace), wait_ns(1)};
  const std::int64_t made = by.loop(subject_.operation(), batch);
  mirror_.synchronise();
  return made;
}

/// A state of the caches or of a file is prepared, and messages are touched, before each call of its own loop, so that
/// the loop itself knows nothing of it.
std::int64_t Sampler::make_prepared_calls(Started by, std::int64_t count, Pace pace) {
  const bool paced = pace.late != nullptr;
  const bool announced = paced && point_.sync == method::Sync::roundtime;
  for (std::int64_t i = 0; i < count; ++i) {
    int time_is_up = i > 0 && announced && clock().now() > pace.deadline_ticks ? 1 : 0;
    if (announced) MPI_Bcast(&time_is_up, 1, MPI_INT, 0, party_.control.get());
    if (time_is_up == 1) return i;
    const Arrays arrays = cache_.next();
    if (point_.cache == method::Cache::rotate) subject_.place(arrays);
    const int root = rooted() ? *roots_.from(i) : 0;
    subject_.touching().before_call(root);
    subject_.ready();
    // An announced start finds all ranks waiting for it, however long each took to prepare.
    if (announced) MPI_Barrier(party_.control.get());
    by.loop(subject_.operation(),
            {stamps_.start(i), stamps_.end(i), roots_.from(i), 1, meeting(by.sync, pace), wait_ns(1)});
    subject_.touching().after_call(root);
    if (!paced) continue;
    ++pace.late;
    ++pace.delay;
    if (pace.begin != nullptr) ++pace.begin;
  }
  return count;
}

std::int64_t Sampler::make_blocks(const char* stage, std::int64_t count, Pace pace) {
  const SyncCalls sync = sync_calls(clock_index(point_.clock));
  note(stage, count);
  const Subject::Gathered threads(subject_);
  mirror_.synchronise();
  std::int64_t made = 0;
  for (bool over = false; made < count && !over; ++made) {
    roots_.schedule(block_);
    const Batch batch{stamps_.start(made),        stamps_.end(made), roots_.from(0), block_,
                      meeting(point_.sync, pace), wait_ns(block_)};
    sync.before(batch.meeting, made);
    loops().block(subject_.operation(), batch);
    over = sync.after(batch.meeting, made);
  }
  mirror_.synchronise();
  return made;
}

void Sampler::note(const char* stage, std::int64_t count) {
  stamps_.clear(count);
  if (watchdog_ != nullptr) watchdog_->enter(stage, stamps_.start(), stamps_.end(), count);
}

/// The stamps of the last batch, and which starts this rank missed in it.
RankTimes Sampler::paced_times(std::int64_t count) {
  pacer_.mark_overruns(stamps_.ends(), count);
  RankTimes times = stamps_.times(count);
  times.late = pacer_.late_ns(count);
  return times;
}

Reduced Sampler::reduce(const RankTimes& times, const std::vector<int>& roots) const {
  const Site& site = subject_.site();
  const Timing timing{.rank = site.rank, .first = site.first, .groups = party_.groups};
  return reduce_ranks(party_.control, subject_.info(), point_, timing, times, roots, global());
}

Meeting Sampler::meeting(method::Sync sync, const Pace& pace) const {
  return {party_.control.get(), party_.control.rank(), party_.control.size(), pace, sync_index(sync)};
}

Sampler::Started Sampler::barrier_started() const {
  return {subject_.entry().loops[clock_index(point_.clock)].call, method::Sync::barrier};
}

const Loops& Sampler::loops() const {
  const Entry& entry = subject_.entry();
  return point_.added_ns > 0 ? entry.slowed : entry.loops[clock_index(point_.clock)];
}

/// Deliberate delay of a sample of `repetitions` before its closing stamp (calibration). The wait ends between two
/// readings of the clock: half a reading less makes it last as long as asked on the average.
std::int64_t Sampler::wait_ns(std::int64_t repetitions) const {
  const double asked_ns = point_.added_ns * static_cast<double>(repetitions);
  return std::max<std::int64_t>(0, std::llround(asked_ns - clock().read_ns / 2));
}

}  // namespace groma
