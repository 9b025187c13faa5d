#include "groma/measure/pacer.hpp"

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "groma/random.hpp"

namespace groma {
namespace {

TickLine tick_line(const ClockFacts& clock, const ClockLine& line) {
  const std::int64_t now = clock.now();
  return {.ticks_per_ns = 1 / ((1 - line.slope) * clock.ns_per_tick),
          .epoch_ticks = now,
          .epoch_global_ns = line.to_global(clock.to_ns(now))};
}

/// The time in which a start reaches every rank: the slowest rank's median over some broadcasts, each after a barrier.
std::int64_t broadcast_ns(const Comm& control) {
  constexpr std::size_t most = 21;
  constexpr std::size_t least = 5;
  constexpr std::int64_t enough_ns = 100'000'000;  // where each takes milliseconds, a few say so
  const std::int64_t begin = Monotonic::now();
  std::vector<std::int64_t> times;
  for (std::int64_t going_on = 1; going_on == 1;) {
    MPI_Barrier(control.get());
    const std::int64_t before = Monotonic::now();
    going_on = times.size() + 1 < least || (times.size() + 1 < most && before - begin < enough_ns) ? 1 : 0;
    MPI_Bcast(&going_on, 1, MPI_INT64_T, 0, control.get());
    times.push_back(Monotonic::now() - before);
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  std::int64_t slowest = *middle;
  MPI_Allreduce(MPI_IN_PLACE, &slowest, 1, MPI_INT64_T, MPI_MAX, control.get());
  return slowest;
}

}  // namespace

std::int64_t arrival_delay_ns(const Point& point, int rank, int ranks, std::uint64_t& random) {
  const auto most = static_cast<std::int64_t>(point.arrival_delay_us * 1000);
  if (point.arrival == method::Arrival::one_late) return rank == ranks - 1 ? most : 0;
  if (point.arrival == method::Arrival::linear) return ranks > 1 ? most * rank / (ranks - 1) : 0;
  if (point.arrival != method::Arrival::random) return 0;
  std::int64_t mine = 0;
  for (int other = 0; other < ranks; ++other) {
    const auto drawn = static_cast<std::int64_t>(next_random(random) % static_cast<std::uint64_t>(most + 1));
    if (other == rank) mine = drawn;
  }
  return mine;
}

Pacer::Pacer(const Point& point, const ClockFacts& clock, const GlobalClock* global, const Comm& control,
             std::uint64_t seed)
    : point_(point), clock_(clock), global_(global), control_(control), random_(seed) {}

void Pacer::prepare(const std::function<std::vector<std::int64_t>()>& pilot) {
  if (!paced()) return;
  constexpr double shortest_lead_ns = 1000;
  lead_ns_ = static_cast<std::int64_t>(std::max(shortest_lead_ns, 3.0 * static_cast<double>(broadcast_ns(control_))));
  if (!windows()) return;
  std::vector<std::int64_t> walls = pilot();
  std::sort(walls.begin(), walls.end());
  const auto p95 = static_cast<std::size_t>(std::ceil(0.95 * static_cast<double>(walls.size()))) - 1;
  double bound_ns = global_->bound_ns(clock_.to_ns(clock_.now()));
  MPI_Allreduce(MPI_IN_PLACE, &bound_ns, 1, MPI_DOUBLE, MPI_MAX, control_.get());
  window_ns_ =
      static_cast<std::int64_t>(1.5 * static_cast<double>(walls[p95]) + 2 * bound_ns + point_.arrival_delay_us * 1000);
  MPI_Bcast(&window_ns_, 1, MPI_INT64_T, 0, control_.get());
}

void Pacer::draw_delays(std::int64_t count) {
  delay_.resize(static_cast<std::size_t>(count));
  const int rank = control_.rank();
  const int ranks = control_.size();
  for (std::int64_t& delay : delay_) {
    delay = std::llround(static_cast<double>(arrival_delay_ns(point_, rank, ranks, random_)) / clock_.ns_per_tick);
  }
}

std::int64_t Pacer::preparation_ns() const { return point_.cache == method::Cache::warm ? 0 : window_ns_; }

std::int64_t Pacer::fitting(std::int64_t count, double slot_ns) const {
  if (!windows()) return count;
  const double windows_in_slot =
      (slot_ns - static_cast<double>(preparation_ns())) / static_cast<double>(std::max<std::int64_t>(1, window_ns_));
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(static_cast<double>(count), windows_in_slot)));
}

Pace Pacer::next(std::int64_t count, double slot_ns) {
  late_.assign(static_cast<std::size_t>(count), 0);
  if (!paced()) return {};
  // What came before took every rank another time: an announcement must find them together.
  if (!windows()) MPI_Barrier(control_.get());
  draw_delays(count);
  Pace pace{.line = tick_line(clock_, global_->line()), .lead_ns = lead_ns_};
  pace.delay = delay_.data();
  pace.late = late_.data();
  const std::int64_t now = clock_.now();
  if (slot_ns < 1e18) pace.deadline_ticks = now + static_cast<std::int64_t>(slot_ns / clock_.ns_per_tick);
  if (windows()) {
    std::int64_t first_ns = pace.line.to_global_ns(now) + 10 * lead_ns_ + preparation_ns();
    MPI_Bcast(&first_ns, 1, MPI_INT64_T, 0, control_.get());
    begin_.resize(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i)
      begin_[static_cast<std::size_t>(i)] = pace.line.to_ticks(first_ns + i * window_ns_);
    pace.begin = begin_.data();
  }
  return pace;
}

void Pacer::mark_overruns(const std::vector<std::int64_t>& end_ticks, std::int64_t count) {
  if (!windows()) return;
  for (std::size_t i = 0; i + 1 < static_cast<std::size_t>(count); ++i) {
    late_[i] = std::max(late_[i], end_ticks[i] - begin_[i + 1]);
  }
}

std::vector<std::int64_t> Pacer::late_ns(std::int64_t count) const {
  std::vector<std::int64_t> late;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    late.push_back(std::llround(std::ceil(static_cast<double>(late_[i]) * clock_.ns_per_tick)));
  }
  return late;
}

void Pacer::learn(std::vector<std::int64_t> late_ns, std::int64_t made) {
  constexpr std::size_t one_in = 20;
  // A single one was an interruption, which no lead can be long enough for.
  if (late_ns.size() <= std::max<std::size_t>(1, static_cast<std::size_t>(made) / one_in)) return;
  if (windows()) {
    // Windows do not wait for each other: a late repetition makes the next one late by as much again, or by less where
    // the ranks catch up. What a window lacked is what it added.
    std::adjacent_difference(late_ns.begin(), late_ns.end(), late_ns.begin());
    for (std::int64_t& added : late_ns) added = std::max<std::int64_t>(0, added);
  }
  const auto middle = late_ns.begin() + static_cast<std::ptrdiff_t>(late_ns.size() / 2);
  std::nth_element(late_ns.begin(), middle, late_ns.end());
  const std::int64_t lacked_ns = *middle + *middle / 2;
  window_ns_ += std::max(window_ns_, lacked_ns);
  lead_ns_ += std::max(lead_ns_, windows() ? 0 : lacked_ns);
}

void Pacer::change(method::Sync sync) { point_.sync = sync; }

}  // namespace groma
