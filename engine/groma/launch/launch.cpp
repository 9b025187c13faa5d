#include "groma/launch/launch.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>

#include "groma/buffers/arena.hpp"
#include "groma/buffers/share.hpp"
#include "groma/clock/planted.hpp"
#include "groma/launch/validate.hpp"
#include "groma/machine/files.hpp"
#include "groma/machine/simulated.hpp"
#include "groma/measure/syncs.hpp"
#include "groma/mpi/together.hpp"
#include "groma/record/describe.hpp"
#include "groma/record/point_json.hpp"
#include "groma/schema/json.hpp"

namespace groma {
namespace {

std::string gib(std::int64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GiB", static_cast<double>(bytes) / (1024.0 * 1024 * 1024));
  return text;
}

ClockSync clock_sync_of(method::ClockSync asked) {
  switch (asked) {
    case method::ClockSync::hca3:
      break;
    case method::ClockSync::jk:
      return ClockSync::jk;
    case method::ClockSync::offset_only:
      return ClockSync::offset_only;
  }
  return ClockSync::hca3;
}

}  // namespace

Launch::Launch(const std::vector<Entry>& entries, Client client, std::vector<std::string> arguments,
               const Launcher& launcher)
    : entries_(entries),
      client_(std::move(client)),
      arguments_(std::move(arguments)),
      launcher_(launcher),
      world_(Comm(MPI_COMM_WORLD).copy()),
      node_(world_.node()) {}

int Launch::measure() {
  read_plan();
  check_beforehand();
  check_clocks();
  placement_ = measure_placement(world_, node_);
  settle_methods();
  const std::string known = broadcast_text(world_, command_.pairs);
  pairs_ = std::make_unique<PairFinder>(world_, placement_.node_of_rank, placement_.hosts, plan_.seed, known);
  form_parties();
  check_memory();
  open_outputs();
  together(world_, [&] { arena_ = Arena(needs_); });
  make_watchdog();
  write_start();
  first_visits_.resize(plan_.points.size());
  const LoadWatch load;
  if (plan_.order == method::Order::interleaved) {
    measure_interleaved();
  } else {
    measure_one_by_one(shuffled());
  }
  schema::End end;
  if (!simulated) {
    end.load = load.finish(world_, node_);
    end.noise = measure_noise(world_);
  }
  end.points = recorded_;
  end.failures = failures_;
  end.elapsed_ns = Monotonic::now() - begin_ns_;
  end.global_clock = keeper_->describe_end();
  write(schema::json_of(end), false);
  return failures_ == 0 ? 0 : 1;
}

void Launch::read_plan() {
  std::string text;
  together(world_, [&] {
    if (world_.rank() != 0) return;
    command_ = client_.ask();
    for (const Point& point : command_.plan.points) static_cast<void>(unfit(point, {}));
    text = plan_json(command_.plan, entries_).dump();
  });
  plan_ = plan_from_json(broadcast_text(world_, text), "the plan", entries_);
  for (const Point& point : plan_.points) operations_.push_back(configured(entries_, point));
}

void Launch::check_beforehand() const {
  const auto known = [&](const std::string& name, const std::string& asked, const std::string& started) {
    if (asked == started) return;
    throw InputError("the plan asks for " + name + "=" + asked + ", but rank " + std::to_string(world_.rank()) +
                     " started MPI with " + (started.empty() ? "none" : started) +
                     ", since every rank must know it before MPI starts; put the plan in a file that every host can "
                     "read");
  };
  together(world_, [&] {
    const std::string& started = client_.beforehand.thread_level;
    known("thread_level", plan_.thread_level, started);
    known("cpus", plan_.cpus, client_.beforehand.cpus);
    if (!client_.unbound.empty()) throw InputError("rank " + std::to_string(world_.rank()) + ": " + client_.unbound);
    const std::string_view provided = provided_thread_level();
    if (thread_level_named(provided) < thread_level_named(started)) {
      throw InputError("thread_level=" + started + " can't be had: this MPI library provides " + std::string(provided) +
                       "; ask for that, or use a library built with threads");
    }
  });
}

void Launch::check_clocks() {
  clocks_ = examine_clocks();
  if constexpr (simulated) plant_clocks(clocks_, world_.rank());
  // One counter, one calibration: else ranks of a host would see it run at slightly different speeds.
  for (ClockFacts& clock : clocks_) {
    MPI_Bcast(&clock.ns_per_tick, 1, MPI_DOUBLE, 0, node_.get());
    MPI_Bcast(&clock.base_ticks, 1, MPI_INT64_T, 0, node_.get());
  }
  together(world_, [&] {
    for (const Point& point : plan_.points) {
      const ClockFacts& clock = clocks_[clock_index(point.clock)];
      if (!clock.refused.empty()) {
        throw InputError("clock=" + name_of(point.clock) + " can't be used on rank " + std::to_string(world_.rank()) +
                         ": " + clock.refused + "; use clock=monotonic");
      }
    }
  });
}

/// Settles what depends on where the ranks run. Starts by the clock fail where a rank may have to wait for its CPU.
void Launch::settle_methods() {
  together(world_, [&] {
    for (Point& point : plan_.points) {
      // Calls take a turn of the scheduler there: thousands of them would cost minutes, and tell of it alone.
      if (placement_.oversubscribed) point.settle_s = 0;
      if (point.sync == method::Sync::automatic)
        point.sync = placement_.oversubscribed ? method::Sync::barrier : method::Sync::roundtime;
      if (point.sync == method::Sync::window && placement_.oversubscribed && !point.force) {
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
  });
}

void Launch::form_parties() {
  left_out_.resize(plan_.points.size());
  together(world_, [&] {
    for (std::size_t index = 0; index < plan_.points.size(); ++index) {
      left_out_[index] = unfit(plan_.points[index], placement_.node_of_rank);
    }
  });
  parties_.resize(plan_.points.size(), std::make_shared<Party>());  // of nobody, for the points left out
  std::map<std::tuple<std::vector<Group>, bool, int>, std::shared_ptr<Party>> known;
  for (std::size_t index = 0; index < plan_.points.size(); ++index) {
    if (!left_out_[index].empty()) continue;
    Point point = pairs_->settled(plan_.points[index]);
    if (point.pattern != plan_.points[index].pattern) point.ranks_per_node = 0;  // the pair found is of world ranks
    const std::vector<Group> groups = groups_of(info(index), point, world_.size(), placement_.node_of_rank);
    const int lane = lane_of(point, groups.front(), placement_.node_of_rank);
    std::shared_ptr<Party>& party = known[{groups, point.communicator == "world", lane}];
    if (!party)
      party =
          std::make_shared<Party>(form_party(world_, placement_.node_of_rank, groups, point.communicator == "world"));
    party->lane = lane;
    parties_[index] = party;
  }
}

/// Why a point is left out that may be; empty where it can be had. Throws where it can't and must.
std::string Launch::unfit(const Point& point, std::span<const int> node_of_rank) const {
  return groma::unfit(point, entries_, world_.size(), node_of_rank);
}

/// Adds up what the ranks of each node need for the largest point of each, and refuses what does not fit.
void Launch::check_memory() {
  std::size_t largest = 0;
  for (std::size_t index = 0; index < plan_.points.size(); ++index) {
    const Party& party = *parties_[index];
    if (party.work.null()) continue;
    const int ranks = party.work.size();
    const Point point = own_share(plan_.points[index], ranks);
    const Memory memory = operations_[index].memory(extents_of(point, ranks));
    const Needs needs = arena_needs(point, needs_of(info(index), point, memory));
    if (needs.total() > needs_.total()) largest = index;
    needs_ = needs_.or_more(needs);
  }
  const std::int64_t mine = needs_.with_slack();
  MPI_Allreduce(&mine, &node_needs_bytes_, 1, MPI_INT64_T, MPI_SUM, node_.get());
  node_available_bytes_ = available_memory_bytes();
  MPI_Bcast(&node_available_bytes_, 1, MPI_INT64_T, 0, node_.get());
  together(world_, [&] {
    constexpr double usable = 0.9;  // the MPI library and the system need some too
    if (static_cast<double>(node_needs_bytes_) <= usable * static_cast<double>(node_available_bytes_)) return;
    throw InputError("the " + std::to_string(node_.size()) + " ranks on the node of rank " +
                     std::to_string(world_.rank()) + " need " + gib(node_needs_bytes_) + " of memory (most for " +
                     point_text(plan_.points[largest], parties_[largest]->members.size()) + ") and " +
                     gib(node_available_bytes_) +
                     " are available; ask for smaller messages, a smaller window or fewer ranks per node");
  });
}

void Launch::open_outputs() {
  together(world_, [&] {
    if (world_.rank() != 0) return;
    recorder_ = command_.out.empty() ? std::make_unique<Recorder>() : std::make_unique<Recorder>(command_.out);
    if (!command_.nodes.empty()) write_file(command_.nodes, placement_.document);
  });
}

void Launch::make_watchdog() {
  const bool limited =
      std::any_of(plan_.points.begin(), plan_.points.end(), [](const Point& point) { return point.limit_s > 0; });
  if (limited && !simulated) {  // ranks of a simulation are one process: their limits would be one limit
    watchdog_ = std::make_unique<Watchdog>(world_, node_, recorder_ ? recorder_->file() : -1);
  }
}

/// What comes before the first point has its own place in a message of the watchdog.
void Launch::enter(const char* stage) const {
  if (watchdog_) watchdog_->enter(stage, nullptr, nullptr, 0);
}

/// The machine is measured here, and the clocks: that may take as long as the longest point, and a while in any case.
void Launch::write_start() {
  constexpr double least_limit_s = 20;
  begin_ns_ = Monotonic::now();
  if (watchdog_) {
    double limit_s = least_limit_s;
    for (const Point& point : plan_.points) limit_s = std::max(limit_s, point.limit_s);
    watchdog_->arm(Watchdog::before_the_points, "the start of the launch", limit_s, true);
  }
  enter("clocks");
  keeper_ =
      std::make_unique<TimeKeeper>(clocks_, world_, node_,
                                   KeeperRules{.method = clock_sync_of(plan_.clock_sync),
                                               .one_counter_a_host = plan_.clock_sharing == method::ClockSharing::host,
                                               .max_error_ns = 1000 * plan_.max_clock_error_us,
                                               .cpu_each = !placement_.oversubscribed && !simulated});
  std::set<std::size_t> needed;
  std::set<std::size_t> welcome;
  for (std::size_t index = 0; index < plan_.points.size(); ++index) {
    const Point& point = plan_.points[index];
    if (needs_global_clock(point)) needed.insert(clock_index(point.clock));
    if (tells_skew(info(index), point)) welcome.insert(clock_index(point.clock));
  }
  for (const std::size_t clock : needed) keeper_->provide(clock);
  for (const std::size_t clock : welcome) keeper_->provide_if_free(clock);
  write(schema::json_of(start_record()), false);
  if (watchdog_) watchdog_->disarm();
  together(world_, [&] {
    if (tells_by_table()) print(table_heading());
  });
}

}  // namespace groma
