#include "groma/launch/start_record.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "groma/buffers/share.hpp"
#include "groma/clock/calendar.hpp"
#include "groma/device/copies.hpp"
#include "groma/device/nccl.hpp"
#include "groma/machine/bounce.hpp"
#include "groma/machine/handoff.hpp"
#include "groma/machine/limits.hpp"
#include "groma/machine/tcp.hpp"
#include "groma/mpi/device_support.hpp"
#include "groma/mpi/simulated.hpp"
#include "groma/mpi/startup.hpp"
#include "groma/mpi/texts.hpp"
#include "groma/record/describe.hpp"
#include "groma/record/point_json.hpp"
#include "groma/schema/json.hpp"
#include "groma/timed/harness.hpp"
#include "groma/timed/syncs.hpp"

namespace groma {
namespace {

std::vector<schema::Clock> recorded(const std::array<ClockFacts, clock_count>& clocks) {
  std::vector<schema::Clock> records;
  for (const ClockFacts& clock : clocks) {
    schema::Clock& record = records.emplace_back();
    record.name = clock.name;
    if (clock.refused.empty()) {
      record.resolution_ns = clock.resolution_ns;
      record.read_ns = clock.read_ns;
    } else {
      record.refused = clock.refused;
    }
  }
  return records;
}

schema::Library recorded(const Library& mpi) {
  return {.name = mpi.name, .version = mpi.version, .text = mpi.text, .standard = mpi.standard};
}

/// The sizes of all points of one host, for the first two of their ranks; or of those between hosts, for their first
/// rank and the first of another host. Where many pairs are asked for, the first few stand for all.
std::vector<HandoffRequest> handoffs(const Ranks& ranks, const Agenda& agenda, bool between_hosts) {
  constexpr std::size_t most_pairs = 4;
  std::map<std::array<int, 2>, std::set<std::int64_t>> asked;
  for (std::size_t index = 0; index < agenda.size(); ++index) {
    const Party& party = agenda.party(index);
    const bool asks = party.members.size() > 1 && (party.hosts > 1) == between_hosts;
    if (!asks || agenda.info(index).send == Size::none) continue;
    const int first = party.members.front();
    const auto node = [&](int rank) { return ranks.placement.node_of_rank[static_cast<std::size_t>(rank)]; };
    const auto second = std::find_if(party.members.begin() + 1, party.members.end(),
                                     [&](int rank) { return (node(rank) != node(first)) == between_hosts; });
    if (second == party.members.end()) continue;
    const std::array<int, 2> pair{first, *second};
    if (asked.size() == most_pairs && !asked.contains(pair)) continue;
    const int group_size = static_cast<int>(party.members.size()) / party.groups;
    const std::int64_t bytes = own_share(agenda.point(index), group_size).bytes;
    if (bytes > 0) asked[pair].insert(bytes);
  }
  std::vector<HandoffRequest> requests;
  for (const auto& [pair, sizes] : asked) requests.push_back({.ranks = pair, .sizes = {sizes.begin(), sizes.end()}});
  return requests;
}

/// The lengths of the messages of points that are not in host memory.
std::vector<std::int64_t> copied_sizes(const Ranks& ranks, const Agenda& agenda) {
  constexpr std::int64_t longest = std::int64_t{64} << 20U;
  std::set<std::int64_t> sizes;
  for (std::size_t index = 0; index < agenda.size(); ++index) {
    if (for_host(agenda.point(index))) continue;
    const Party& party = agenda.party(index);
    const std::int64_t bytes =
        own_share(agenda.point(index), static_cast<int>(party.members.size()) / party.groups).bytes;
    if (bytes > 0 && bytes <= longest) sizes.insert(bytes);
  }
  if (ranks.world.rank() != 0) sizes.clear();
  return {sizes.begin(), sizes.end()};
}

/// What rank 0's devices take to copy, and which device each rank has.
void describe_devices(schema::Start& record, const Ranks& ranks, const Agenda& agenda, const DeviceMemory& memory) {
  const std::vector<schema::RankDevice> own = describe_devices(memory, ranks.world.rank());
  std::vector<schema::RankDevice> all;
  for (const std::string& text : gather_texts(ranks.world, schema::json_of(own).dump())) {
    for (schema::RankDevice& one : schema::read_text<std::vector<schema::RankDevice>>(text)) all.push_back(one);
  }
  if (all.empty()) return;
  std::vector<std::string> uuids;
  for (const schema::RankDevice& one : all) uuids.push_back(one.uuid);
  record.devices = std::move(all);
  record.device_copies = measure_copies(memory, copied_sizes(ranks, agenda), uuids);
  const Nccl* nccl = Nccl::opened();
  if (nccl == nullptr) return;
  record.nccl = {.name = std::string(nccl->name()),
                 .version = nccl->version(),
                 .file = nccl->file(),
                 .tried = "never tried on a device"};
}

/// The most of any rank. Collective over the world.
schema::ProcessMemory process_memory(const Comm& world) {
  const StartUp& own = startup();
  std::array<std::int64_t, 3> most{own.memory_before_bytes, own.memory_after_bytes, own.memory_after_messages_bytes};
  MPI_Allreduce(MPI_IN_PLACE, most.data(), static_cast<int>(most.size()), MPI_INT64_T, MPI_MAX, world.get());
  schema::ProcessMemory record{.before_bytes = most[0], .after_bytes = most[1], .after_messages_bytes = {}};
  if (most[2] > 0) record.after_messages_bytes = most[2];
  return record;
}

void measure_machine(schema::Start& record, const Ranks& ranks, const Agenda& agenda, const LaunchContext& context) {
  // What comes before the first point has its own place in a message of the watchdog.
  const auto enter = [&](const char* stage) {
    if (context.watchdog != nullptr) context.watchdog->enter(stage, nullptr, nullptr, 0);
  };
  record.harness =
      harness_cost(entry_named(context.entries, "noop"), context.clocks[clock_index(method::Clock::monotonic)]);
  enter("bounce of a line");
  record.limits = measure_bounce(ranks.world, ranks.sharing);
  enter("hand-off between cores");
  record.limits.handoff = measure_handoff(ranks.world, handoffs(ranks, agenda, false));
  enter("TCP between hosts");
  record.limits.tcp = measure_tcp(ranks.world, handoffs(ranks, agenda, true));
  enter("devices");
  describe_devices(record, ranks, agenda, context.devices);
  enter("noise");
  record.noise = measure_noise(ranks.world);
}

}  // namespace

schema::Start start_record(const Ranks& ranks, const Agenda& agenda, const StartFacts& facts) {
  const Plan& plan = agenda.plan();
  schema::Start record;
  record.engine = engine_version();
  record.compiler = "g++ " __VERSION__;
#if defined(MPI_ABI)
  record.abi = true;
#endif
  record.library = recorded(library());
  record.thread_level = {.asked = plan.thread_level, .provided = std::string(provided_thread_level())};
  if (!simulated) record.device_support = device_support();
  record.ranks = ranks.world.size();
  record.nodes = ranks.placement.nodes;
  record.points = agenda.size();
  record.order = name_of(plan.order);
  record.seed = plan.seed;
  record.started_unix_ns = unix_now_ns();
  record.arguments = facts.arguments;
  record.oversubscribed = ranks.placement.oversubscribed;
  record.launcher = facts.launcher.name;
  record.clocks = recorded(facts.context.clocks);
  if (!simulated) {
    record.process_memory = process_memory(ranks.world);
    measure_machine(record, ranks, agenda, facts.context);
  }
  record.global_clock = facts.keeper.describe();
  record.searches = facts.pairs.describe();
  record.memory = {.needed_bytes = facts.memory.node_bytes, .available_bytes = facts.memory.available_bytes};
  return record;
}

}  // namespace groma
