#include "groma/launch/launch.hpp"

#include <algorithm>
#include <memory>
#include <set>

#include "groma/launch/agenda.hpp"
#include "groma/launch/memory.hpp"
#include "groma/launch/nccl.hpp"
#include "groma/launch/output.hpp"
#include "groma/launch/points.hpp"
#include "groma/launch/ranks.hpp"
#include "groma/launch/start_record.hpp"
#include "groma/machine/heap.hpp"
#include "groma/machine/host.hpp"
#include "groma/machine/limits.hpp"
#include "groma/machine/line_gauge.hpp"
#include "groma/mpi/simulated.hpp"
#include "groma/mpi/texts.hpp"
#include "groma/mpi/together.hpp"
#include "groma/schema/json.hpp"
#include "groma/timed/syncs.hpp"

namespace groma {
namespace {

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

KeeperRules keeper_rules(const Plan& plan, const Placement& placement) {
  return {.method = clock_sync_of(plan.clock_sync),
          .one_counter_a_host = plan.clock_sharing == method::ClockSharing::host,
          .max_error_ns = 1000 * plan.max_clock_error_us,
          .cpu_each = !placement.oversubscribed && !simulated};
}

/// Ranks of a simulation are one process, and would share a device's memory.
DeviceMemory open_devices(const RegionNeeds& needs, const Plan& plan, const Ranks& ranks) {
  const auto asked = [](const RegionBytes& one) { return one.send + one.receive > 0; };
  if (simulated && std::ranges::any_of(needs, asked)) {
    throw InputError("a simulation has no devices; leave memory, send_memory and receive_memory out");
  }
  return {needs, plan.device, ranks.node.rank()};
}

/// The record file; null but on rank 0. Collective over the world.
std::unique_ptr<Recorder> open_outputs(const Command& command, const Ranks& ranks) {
  std::unique_ptr<Recorder> recorder;
  together(ranks.world, [&] {
    if (ranks.world.rank() != 0) return;
    recorder = command.out.empty() ? std::make_unique<Recorder>() : std::make_unique<Recorder>(command.out);
    if (!command.nodes.empty()) write_file(command.nodes, ranks.placement.document);
  });
  return recorder;
}

/// How many times of all ranks a record lists. There is a file for more where records are written and no client hears
/// them. Collective over the world.
std::size_t most_listed(const Comm& world, const Recorder* recorder, const Client& client) {
  constexpr std::size_t of_a_record = 65536;
  int has_file = recorder != nullptr && recorder->file() >= 0 && !client.hear ? 1 : 0;
  MPI_Bcast(&has_file, 1, MPI_INT, 0, world.get());
  return has_file == 1 ? of_a_record : unlimited;
}

/// Null if no point has a limit, and for ranks of a simulation: they are one process, whose limits would be one.
std::unique_ptr<Watchdog> watchdog_for(const Plan& plan, const Ranks& ranks, const Recorder* recorder) {
  const bool limited =
      std::any_of(plan.points.begin(), plan.points.end(), [](const Point& point) { return point.limit_s > 0; });
  if (!limited || simulated) return nullptr;
  return std::make_unique<Watchdog>(ranks.world, ranks.sharing, recorder == nullptr ? -1 : recorder->file());
}

/// The machine is measured before the first point, and the clocks: that may take as long as the longest point, and a
/// while in any case.
double limit_of_start_s(const Plan& plan) {
  constexpr double least_limit_s = 20;
  double limit_s = least_limit_s;
  for (const Point& point : plan.points) limit_s = std::max(limit_s, point.limit_s);
  return limit_s;
}

/// Makes global clocks for the points that need one, and for those that can say more with one that costs nothing.
void provide_clocks(TimeKeeper& keeper, const Agenda& agenda) {
  std::set<std::size_t> needed;
  std::set<std::size_t> welcome;
  for (std::size_t index = 0; index < agenda.size(); ++index) {
    const Point& point = agenda.point(index);
    if (needs_global_clock(point)) needed.insert(clock_index(point.clock));
    if (tells_skew(agenda.info(index), point)) welcome.insert(clock_index(point.clock));
  }
  for (const std::size_t clock : needed) keeper.provide(clock);
  for (const std::size_t clock : welcome) keeper.provide_if_free(clock);
}

/// The last record. Collective over the world.
schema::End end_record(const PointRunner& runner, const TimeKeeper& keeper, const LoadWatch& load, const Ranks& ranks,
                       std::int64_t begin_ns) {
  schema::End end;
  if (!simulated) {
    end.load = load.finish(ranks.world, ranks.node);
    end.noise = measure_noise(ranks.world);
  }
  end.points = runner.recorded();
  end.failures = runner.failures();
  end.elapsed_ns = Monotonic::now() - begin_ns;
  end.global_clock = keeper.describe_end();
  return end;
}

}  // namespace

int measure_launch(const std::vector<Entry>& entries, const Client& client, const std::vector<std::string>& arguments,
                   const Launcher& launcher) {
  keep_freed_memory();
  Ranks ranks{.world = Comm(MPI_COMM_WORLD).copy(), .node = {}, .sharing = {}, .placement = {}};
  ranks.node = ranks_of_host(ranks.world);
  ranks.sharing = ranks_sharing_memory(ranks.node);
  const Comm& world = ranks.world;
  Command command;  // on rank 0
  together(world, [&] {
    if (world.rank() == 0) command = client.ask();
  });
  Plan plan = agreed_plan(world, command, entries);
  check_beforehand(world, plan, entries, client);
  const std::array<ClockFacts, clock_count> clocks = usable_clocks(ranks, plan);
  ranks.placement = measure_placement(world, ranks.node);
  settle_methods(plan, entries, ranks);
  const std::string known = broadcast_text(world, command.pairs);
  PairFinder pairs(world, ranks.placement.node_of_rank, ranks.placement.hosts, plan.seed, known);
  const Agenda agenda(std::move(plan), entries, ranks, pairs);
  const MemoryNeeds memory = fitting_memory(agenda, ranks);
  DeviceMemory devices;
  together(world, [&] { devices = open_devices(memory.regions, agenda.plan(), ranks); });
  open_nccl(agenda, devices, ranks);
  std::unique_ptr<Recorder> recorder = open_outputs(command, ranks);
  Arena arena;
  together(world, [&] { arena = Arena(memory.mine); });
  const std::unique_ptr<Watchdog> watchdog = watchdog_for(agenda.plan(), ranks, recorder.get());
  const LaunchContext context{
      entries, clocks, arena, devices, watchdog.get(), agenda.plan().seed, most_listed(world, recorder.get(), client)};
  const Output output(world, client, recorder.get(), watchdog.get());

  const std::int64_t begin_ns = Monotonic::now();
  if (watchdog) {
    watchdog->arm(Watchdog::before_the_points, "the start of the launch", limit_of_start_s(agenda.plan()), true);
    watchdog->enter("clocks", nullptr, nullptr, 0);
  }
  TimeKeeper keeper(clocks, world, ranks.node, keeper_rules(agenda.plan(), ranks.placement));
  provide_clocks(keeper, agenda);
  output.write(schema::json_of(start_record(ranks, agenda, {launcher, arguments, context, keeper, pairs, memory})));
  if (watchdog) watchdog->disarm();
  output.tell(table_heading());

  const LoadWatch load;
  LineGauge gauge(world, ranks.sharing);
  PointRunner runner(world, agenda, context, keeper, output, gauge);
  runner.measure();
  output.write_end(schema::json_of(end_record(runner, keeper, load, ranks, begin_ns)), std::move(recorder));
  return runner.failures() == 0 ? 0 : 1;
}

}  // namespace groma
