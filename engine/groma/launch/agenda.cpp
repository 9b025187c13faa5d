#include "groma/launch/agenda.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "groma/clock/planted.hpp"
#include "groma/launch/validate.hpp"
#include "groma/measure/session.hpp"
#include "groma/mpi/simulated.hpp"
#include "groma/mpi/texts.hpp"
#include "groma/mpi/together.hpp"
#include "groma/record/point_json.hpp"
#include "groma/timed/syncs.hpp"

namespace groma {
namespace {

/// Starts by the clock fail if a rank may have to wait for its CPU.
void settle_method(Point& point, bool oversubscribed) {
  // Calls take a turn of the scheduler there: thousands of them would cost minutes, and tell of it alone.
  if (oversubscribed) point.settle_s = 0;
  if (point.sync == method::Sync::automatic) {
    point.sync = oversubscribed ? method::Sync::barrier : method::Sync::roundtime;
  }
  if (point.sync == method::Sync::window && oversubscribed && !point.force) {
    throw InputError("sync=window of " + point.operation +
                     " can't keep its times: a node has more ranks than CPUs; use sync=barrier, fewer ranks, or "
                     "force=true to see for yourself");
  }
  if (point.arrival != method::Arrival::together && point.sync != method::Sync::window &&
      point.sync != method::Sync::roundtime) {
    throw InputError("arrival=" + name_of(point.arrival) + " of " + point.operation +
                     " needs starts at agreed times, and here a node has more ranks than CPUs; use fewer ranks or "
                     "sync=roundtime");
  }
}

/// Whether the threads of a point are more than the CPUs of a node. One that cannot run here is refused elsewhere.
bool crowded_by_threads(const Point& point, const std::vector<Entry>& entries, const Ranks& ranks) {
  const Configured operation = configured(entries, point);
  if (operation.threads() == 1) return false;
  try {
    std::vector<int> members;
    for (const Group& group : groups_of(operation.info(), point, ranks.world.size(), ranks.placement.node_of_rank)) {
      members.insert(members.end(), group.begin(), group.end());
    }
    return ranks.placement.crowds(members, operation.threads());
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

Plan agreed_plan(const Comm& world, const Command& command, const std::vector<Entry>& entries) {
  std::string text;
  together(world, [&] {
    if (world.rank() != 0) return;
    const bool any = library_has_any(command.plan, entries);
    for (const Point& point : command.plan.points) {
      try {
        static_cast<void>(unfit(point, entries, world.size(), {}));
      } catch (const LackingError&) {
        if (!any) throw;
      }
    }
    Plan plan = command.plan;
    plan.thread_level = thread_level_of(plan, entries);
    text = plan_json(plan, entries).dump();
  });
  return plan_from_json(broadcast_text(world, text), "the plan", entries);
}

void check_beforehand(const Comm& world, const Plan& plan, const std::vector<Entry>& entries, const Client& client) {
  const auto known = [&](const std::string& name, const std::string& asked, const std::string& started) {
    if (asked == started) return;
    throw InputError("the plan asks for " + name + "=" + asked + ", but rank " + std::to_string(world.rank()) +
                     " started MPI with " + (started.empty() ? "none" : started) +
                     ", since every rank must know it before MPI starts; put the plan in a file that every host can "
                     "read");
  };
  together(world, [&] {
    const std::string& started = client.beforehand.thread_level;
    known("thread_level", plan.thread_level, started);
    known("cpus", plan.cpus, client.beforehand.cpus);
    if (beforehand_of(plan, entries).first_messages && !client.beforehand.first_messages) {
      throw InputError(
          "first messages are exchanged when MPI starts, before any rank reads the plan; add "
          "--first-messages yes");
    }
    const auto at_end = [&](const Point& point) { return entry_named(entries, point.operation).at_end; };
    if (client.last == nullptr && std::ranges::any_of(plan.points, at_end)) {
      throw InputError("mpi_finalize can't be measured by a program that goes on after the launch; use groma-engine");
    }
    if (!client.unbound.empty()) throw InputError("rank " + std::to_string(world.rank()) + ": " + client.unbound);
    const std::string_view provided = provided_thread_level();
    if (thread_level_named(provided) < thread_level_named(started)) {
      throw InputError("thread_level=" + started + " can't be had: this MPI library provides " + std::string(provided) +
                       "; ask for that, or use a library built with threads");
    }
  });
}

std::array<ClockFacts, clock_count> usable_clocks(const Ranks& ranks, const Plan& plan) {
  std::array<ClockFacts, clock_count> clocks = examine_clocks();
  if constexpr (simulated) plant_clocks(clocks, ranks.world.rank());
  // One counter, one calibration: else ranks of a host would see it run at slightly different speeds.
  for (ClockFacts& clock : clocks) {
    MPI_Bcast(&clock.ns_per_tick, 1, MPI_DOUBLE, 0, ranks.node.get());
    MPI_Bcast(&clock.base_ticks, 1, MPI_INT64_T, 0, ranks.node.get());
  }
  together(ranks.world, [&] {
    for (const Point& point : plan.points) {
      const ClockFacts& clock = clocks[clock_index(point.clock)];
      if (!clock.refused.empty()) {
        throw InputError("clock=" + name_of(point.clock) + " can't be used on rank " +
                         std::to_string(ranks.world.rank()) + ": " + clock.refused + "; use clock=monotonic");
      }
    }
  });
  return clocks;
}

void settle_methods(Plan& plan, const std::vector<Entry>& entries, const Ranks& ranks) {
  together(ranks.world, [&] {
    for (Point& point : plan.points) {
      settle_method(point, ranks.placement.oversubscribed || crowded_by_threads(point, entries, ranks));
      point.drawn_from = static_cast<std::uint64_t>(plan.seed);
    }
  });
}

Agenda::Agenda(Plan plan, const std::vector<Entry>& entries, const Ranks& ranks, PairFinder& pairs)
    : plan_(std::move(plan)) {
  for (const Point& point : plan_.points) operations_.push_back(configured(entries, point));
  leave_out(entries, ranks);
  form_parties(ranks, pairs);
  form_loads(entries, ranks);
}

std::string Agenda::text(std::size_t index) const {
  const method::Load load = point(index).load;
  return point_text(point(index), party(index).members.size()) +
         (load == method::Load::none ? "" : ", load=" + name_of(load));
}

void Agenda::leave_out(const std::vector<Entry>& entries, const Ranks& ranks) {
  left_out_.resize(size());
  lacking_.resize(size());
  together(ranks.world, [&] {
    for (std::size_t index = 0; index < size(); ++index) {
      try {
        left_out_[index] = unfit(point(index), entries, ranks.world.size(), ranks.placement.node_of_rank);
      } catch (const LackingError& error) {
        lacking_[index] = error.what();
      }
    }
  });
}

void Agenda::form_parties(const Ranks& ranks, PairFinder& pairs) {
  const Comm& world = ranks.world;
  const std::vector<int>& node_of_rank = ranks.placement.node_of_rank;
  parties_.resize(size(), std::make_shared<Party>());
  std::map<std::tuple<std::vector<Group>, bool, int>, std::shared_ptr<const Party>> known;
  for (std::size_t index = 0; index < size(); ++index) {
    if (!left_out_[index].empty() || !lacking_[index].empty()) continue;
    Point found = pairs.settled(point(index));
    if (found.pattern != point(index).pattern) found.ranks_per_node = 0;  // the pair found is of world ranks
    const std::vector<Group> groups = groups_of(info(index), found, world.size(), node_of_rank);
    const int lane = lane_of(found, groups.front(), node_of_rank);
    const bool world_itself = found.communicator == "world";
    std::shared_ptr<const Party>& party = known[{groups, world_itself, lane}];
    if (!party) {
      Party formed = form_party(world, node_of_rank, groups, world_itself);
      formed.lane = lane;
      party = std::make_shared<const Party>(std::move(formed));
    }
    parties_[index] = party;
  }
}

void Agenda::form_loads(const std::vector<Entry>& entries, const Ranks& ranks) {
  std::map<std::string, std::shared_ptr<const Party>> known;
  for (std::size_t index = 0; index < size(); ++index) {
    PlannedLoad& load = loads_.emplace_back();
    if (!left_out_[index].empty() || !lacking_[index].empty()) continue;
    load = planned_load(point(index), entries, ranks.world.size(), ranks.placement.node_of_rank);
    if (!load.point) continue;
    std::shared_ptr<const Party>& party = known[load.point->pattern];
    if (!party) {
      const std::vector<Group> groups = groups_of(load.operation->info(), *load.point, ranks.world.size());
      party = std::make_shared<const Party>(form_party(ranks.world, ranks.placement.node_of_rank, groups, false));
    }
    load.party = party;
  }
}

}  // namespace groma
