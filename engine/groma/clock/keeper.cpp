#include "groma/clock/keeper.hpp"

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace groma {
namespace {

constexpr int check_pings = 10;

double largest(const Comm& world, double value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, world.get());
  return value;
}

}  // namespace

TimeKeeper::TimeKeeper(const std::array<ClockFacts, clock_count>& clocks, const Comm& world, const Comm& node,
                       KeeperRules rules)
    : clocks_(clocks), world_(world), node_(node), rules_(std::move(rules)) {}

LocalNow TimeKeeper::now_of(std::size_t clock) const {
  const ClockFacts& facts = clocks_[clock];
  return [&facts] { return facts.to_ns(facts.now()); };
}

void TimeKeeper::provide(std::size_t clock) {
  if (kept_.contains(clock)) return;
  Kept& kept = kept_[clock];
  int shared = rules_.sharing == "host" && shares_counter(now_of(clock), node_) ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &shared, 1, MPI_INT, MPI_MIN, world_.get());
  kept.shared = shared == 1;
  kept.followers = kept.shared ? node_.copy() : Comm(MPI_COMM_SELF).copy();
  const bool leads = kept.followers.rank() == 0;
  MPI_Comm leaders = MPI_COMM_NULL;
  MPI_Comm_split(world_.get(), leads ? 0 : MPI_UNDEFINED, world_.rank(), &leaders);
  kept.leaders = Comm(leaders);
  synchronise(clock, kept);
}

void TimeKeeper::synchronise(std::size_t clock, Kept& kept) const {
  const std::int64_t begin = Monotonic::now();
  const ClockEffort effort =
      rules_.method == "jk" ? ClockEffort{.pings = 100, .fit_points = 1000, .span_s = 1.0} : ClockEffort{};
  kept.global =
      GlobalClock::synchronise(clock_sync_named(rules_.method), now_of(clock), kept.leaders, kept.followers, effort);
  kept.residual_ns = residual_ns(clock, kept, true);
  kept.fresh_bound_ns = bound_ns(clock);
  kept.took_ns = Monotonic::now() - begin;
}

double TimeKeeper::residual_ns(std::size_t clock, const Kept& kept, bool followers_too) const {
  double residual = kept.leaders.null() ? 0 : kept.global.check_ns(now_of(clock), kept.leaders, check_pings);
  if (followers_too) residual = std::max(residual, kept.global.check_ns(now_of(clock), kept.followers, check_pings));
  return largest(world_, residual);
}

double TimeKeeper::check(std::size_t clock) {
  Kept& kept = kept_.at(clock);
  if (kept.followers.size() == world_.size()) return 0;  // one counter for all
  if (bound_ns(clock) > std::max(rules_.max_error_ns, 2 * kept.fresh_bound_ns)) synchronise(clock, kept);
  return residual_ns(clock, kept, false);
}

double TimeKeeper::bound_ns(std::size_t clock) const {
  if (kept_.at(clock).followers.size() == world_.size()) return 0;
  return largest(world_, kept_.at(clock).global.bound_ns(now_of(clock)()));
}

nlohmann::ordered_json TimeKeeper::describe() const {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& [clock, kept] : kept_) {
    const double bound = bound_ns(clock);
    const double drift = largest(world_, std::abs(kept.global.line().slope));
    const double messages = largest(world_, static_cast<double>(kept.global.messages_sent()));
    rows.push_back({{"clock", clocks_[clock].name},
                    {"method", rules_.method},
                    {"shared_on_host", kept.shared},
                    {"bound_ns", bound},
                    {"residual_ns", kept.residual_ns},
                    {"drift_ppm", 1e6 * drift},
                    {"messages_per_rank", static_cast<std::int64_t>(messages)},
                    {"took_ns", kept.took_ns}});
  }
  return rows;
}

}  // namespace groma
