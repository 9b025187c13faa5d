#include "groma/clock/keeper.hpp"

#include <mpi.h>

#include <algorithm>
#include <cmath>

#include "groma/clock/planted.hpp"
#include "groma/mpi/asleep.hpp"
#include "groma/mpi/simulated.hpp"

namespace groma {
namespace {

constexpr int check_pings = 50;

double largest(const Comm& world, double value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, world.get());
  return value;
}

/// The value that is farthest from zero, with its sign.
double farthest(const Comm& world, double value) {
  double ends[2] = {value, -value};
  MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_DOUBLE, MPI_MAX, world.get());
  return ends[0] >= ends[1] ? ends[0] : -ends[1];
}

/// Ranks of one communicator as those of a larger one.
std::array<int, 3> world_ranks(const Comm& some, const Comm& world, const std::array<int, 3>& ranks) {
  std::array<int, 3> found{};
  MPI_Group part = MPI_GROUP_NULL;
  MPI_Group whole = MPI_GROUP_NULL;
  MPI_Comm_group(some.get(), &part);
  MPI_Comm_group(world.get(), &whole);
  MPI_Group_translate_ranks(part, 3, ranks.data(), whole, found.data());
  MPI_Group_free(&part);
  MPI_Group_free(&whole);
  return found;
}

std::optional<schema::Cycle> recorded(const std::optional<Cycle>& cycle) {
  if (!cycle) return std::nullopt;
  return schema::Cycle{.ranks = cycle->ranks, .closure_ns = cycle->closure_ns, .least_ns = cycle->least_ns};
}

/// The method in the record's word.
std::string_view method_name(ClockSync method) {
  return method == ClockSync::hca3 ? "hca3" : method == ClockSync::jk ? "jk" : "offset_only";
}

}  // namespace

TimeKeeper::TimeKeeper(const std::array<ClockFacts, clock_count>& clocks, const Comm& world, const Comm& node,
                       KeeperRules rules)
    : clocks_(clocks), world_(world), node_(node), rules_(rules) {}

LocalNow TimeKeeper::now_of(std::size_t clock) const {
  const ClockFacts& facts = clocks_[clock];
  return [&facts] { return facts.to_ns(facts.now()); };
}

void TimeKeeper::provide(std::size_t clock) {
  if (!kept_.contains(clock)) make(clock, shared_on_hosts(clock));
}

void TimeKeeper::provide_if_free(std::size_t clock) {
  const bool one_host = node_.size() == world_.size();
  if (one_host && !kept_.contains(clock) && shared_on_hosts(clock)) make(clock, true);
}

void TimeKeeper::make(std::size_t clock, bool shared) {
  Kept& kept = kept_[clock];
  kept.shared = shared;
  kept.followers = kept.shared ? node_.copy() : Comm(MPI_COMM_SELF).copy();
  const bool leads = kept.followers.rank() == 0;
  MPI_Comm leaders = MPI_COMM_NULL;
  MPI_Comm_split(world_.get(), leads ? 0 : MPI_UNDEFINED, world_.rank(), &leaders);
  kept.leaders = Comm(leaders);
  synchronise(clock, kept);
  close_cycles(clock, kept);
}

/// A resynchronisation does not change paths, so this is done once.
void TimeKeeper::close_cycles(std::size_t clock, Kept& kept) const {
  if (!kept.leaders.null() && kept.leaders.size() > 2) {
    const LocalNow local = now_of(clock);
    const LocalNow global = [&] { return kept.global.to_global(local()); };
    kept.cycle = widest_cycle(rules_.method, kept.leaders, global);
    kept.cycle->ranks = world_ranks(kept.leaders, world_, kept.cycle->ranks);
  }
  if (kept.followers.size() > 1) wait_asleep(kept.followers.get());
}

bool TimeKeeper::shared_on_hosts(std::size_t clock) const {
  int shared = rules_.one_counter_a_host && shares_counter(now_of(clock), node_) ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &shared, 1, MPI_INT, MPI_MIN, world_.get());
  return shared == 1;
}

void TimeKeeper::synchronise(std::size_t clock, Kept& kept) const {
  const std::int64_t begin = Monotonic::now();
  ClockEffort effort = rules_.method == ClockSync::jk ? ClockEffort{.pings = 100, .fit_points = 1000} : ClockEffort{};
  effort.awake = rules_.cpu_each;
  kept.global = GlobalClock::synchronise(rules_.method, now_of(clock), kept.leaders, kept.followers, effort);
  kept.fresh = measure(clock, kept, GlobalClock::Purpose::check);
  kept.took_ns = Monotonic::now() - begin;
  ++kept.synchronised;
}

Deviation TimeKeeper::measure(std::size_t clock, Kept& kept, GlobalClock::Purpose purpose) const {
  if (one_counter(kept)) return {};
  const LocalNow now = now_of(clock);
  const double residual_ns = kept.global.remeasure(now, kept.leaders, kept.followers, check_pings, purpose);
  double worst[2] = {std::abs(residual_ns), kept.global.bound_ns(now())};
  MPI_Allreduce(MPI_IN_PLACE, worst, 2, MPI_DOUBLE, MPI_MAX, world_.get());
  return {.residual_ns = worst[0], .bound_ns = worst[1]};
}

Deviation TimeKeeper::check(std::size_t clock) { return measure(clock, kept_.at(clock), GlobalClock::Purpose::check); }

Deviation TimeKeeper::settle(std::size_t clock) {
  Kept& kept = kept_.at(clock);
  Deviation found = measure(clock, kept, GlobalClock::Purpose::learn);
  const auto exceeds = [&](double now_ns, double fresh_ns) {
    return now_ns > std::max(rules_.max_error_ns, 2 * fresh_ns);
  };
  const auto too_far = [&] {
    return exceeds(found.residual_ns, kept.fresh.residual_ns) || exceeds(found.bound_ns, kept.fresh.bound_ns);
  };
  if (too_far()) {  // after a disturbance, a second check costs less than a resynchronisation
    found = measure(clock, kept, GlobalClock::Purpose::learn);
  }
  if (too_far()) {
    synchronise(clock, kept);
    found = kept.fresh;
  }
  return found;
}

TimeKeeper::Differences TimeKeeper::differences(std::size_t clock, const Kept& kept) const {
  const ClockLine& line = kept.global.line();
  const double offset = farthest(world_, line.correction_ns(now_of(clock)()));
  const double drift = farthest(world_, line.slope);
  return {.offset_ns = offset, .drift_ppm = 1e6 * drift};
}

std::vector<schema::GlobalClock> TimeKeeper::describe() const {
  std::vector<schema::GlobalClock> rows;
  for (const auto& [clock, kept] : kept_) {
    const double messages = largest(world_, static_cast<double>(kept.global.messages_sent()));
    const auto [offset_ns, drift_ppm] = differences(clock, kept);
    rows.push_back({.clock = std::string(clocks_[clock].name),
                    .method = std::string(method_name(rules_.method)),
                    .shared_on_host = kept.shared,
                    .bound_ns = kept.fresh.bound_ns,
                    .residual_ns = kept.fresh.residual_ns,
                    .offset_ns = offset_ns,
                    .drift_ppm = drift_ppm,
                    .messages_per_rank = static_cast<std::int64_t>(messages),
                    .took_ns = kept.took_ns,
                    .cycle = recorded(kept.cycle),
                    .true_error_ns = std::nullopt,
                    .true_excess_ns = std::nullopt});
    if constexpr (simulated) {
      const PlantedError error = planted_error(clocks_[clock], kept.global, world_);
      rows.back().true_error_ns = error.worst_ns;
      rows.back().true_excess_ns = error.excess_ns;
    }
  }
  return rows;
}

std::vector<schema::ClockOutcome> TimeKeeper::describe_end() const {
  std::vector<schema::ClockOutcome> rows;
  for (const auto& [clock, kept] : kept_) {
    const auto [offset_ns, drift_ppm] = differences(clock, kept);
    rows.push_back({.clock = std::string(clocks_[clock].name),
                    .synchronised = kept.synchronised,
                    .offset_ns = offset_ns,
                    .drift_ppm = drift_ppm});
  }
  return rows;
}

}  // namespace groma
