// What a launch says of itself and of its machine before the first point.
#include <algorithm>
#include <map>
#include <set>

#include "groma/buffers/share.hpp"
#include "groma/clock/calendar.hpp"
#include "groma/launch/launch.hpp"
#include "groma/machine/bounce.hpp"
#include "groma/machine/handoff.hpp"
#include "groma/machine/simulated.hpp"
#include "groma/machine/tcp.hpp"
#include "groma/measure/harness.hpp"
#include "groma/measure/syncs.hpp"
#include "groma/record/describe.hpp"
#include "groma/record/point_json.hpp"

namespace groma {
namespace {

std::vector<schema::Clock> recorded(const std::array<ClockFacts, clock_count>& clocks) {
  std::vector<schema::Clock> out;
  for (const ClockFacts& clock : clocks) {
    schema::Clock& one = out.emplace_back();
    one.name = clock.name;
    if (clock.refused.empty()) {
      one.resolution_ns = clock.resolution_ns;
      one.read_ns = clock.read_ns;
    } else {
      one.refused = clock.refused;
    }
  }
  return out;
}

schema::Library recorded(const Library& mpi) {
  return {.name = mpi.name, .version = mpi.version, .text = mpi.text, .standard = mpi.standard};
}

}  // namespace

schema::Start Launch::start_record() const {
  schema::Start record;
  record.engine = engine_version();
  record.compiler = "g++ " __VERSION__;
#if defined(MPI_ABI)
  record.abi = true;
#endif
  record.library = recorded(library());
  record.thread_level = {.asked = plan_.thread_level, .provided = std::string(provided_thread_level())};
  record.ranks = world_.size();
  record.nodes = placement_.nodes;
  record.points = plan_.points.size();
  record.order = name_of(plan_.order);
  record.seed = plan_.seed;
  record.started_unix_ns = unix_now_ns();
  record.arguments = arguments_;
  record.oversubscribed = placement_.oversubscribed;
  record.launcher = launcher_.name;
  record.clocks = recorded(clocks_);
  if (!simulated) measure_machine(record);
  record.global_clock = keeper_->describe();
  record.searches = pairs_->describe();
  record.memory = {.needed_bytes = node_needs_bytes_, .available_bytes = node_available_bytes_};
  return record;
}

/// The sizes of all points of one host, for the first two of their ranks; or of those between hosts, for their first
/// rank and the first of another host. Where many pairs are asked for, the first few stand for all.
std::vector<HandoffRequest> Launch::handoffs(bool between_hosts) const {
  constexpr std::size_t most_pairs = 4;
  std::map<std::array<int, 2>, std::set<std::int64_t>> asked;
  for (std::size_t index = 0; index < plan_.points.size(); ++index) {
    const Party& party = *parties_[index];
    const bool asks = party.members.size() > 1 && (party.hosts > 1) == between_hosts;
    if (!asks || info(index).send == Size::none) continue;
    const int first = party.members.front();
    const auto node = [&](int rank) { return placement_.node_of_rank[static_cast<std::size_t>(rank)]; };
    const auto second = std::find_if(party.members.begin() + 1, party.members.end(),
                                     [&](int rank) { return (node(rank) != node(first)) == between_hosts; });
    if (second == party.members.end()) continue;
    const std::array<int, 2> pair{first, *second};
    if (asked.size() == most_pairs && !asked.contains(pair)) continue;
    const int ranks = static_cast<int>(party.members.size()) / party.groups;
    const std::int64_t bytes = own_share(plan_.points[index], ranks).bytes;
    if (bytes > 0) asked[pair].insert(bytes);
  }
  std::vector<HandoffRequest> requests;
  for (const auto& [pair, sizes] : asked) requests.push_back({.ranks = pair, .sizes = {sizes.begin(), sizes.end()}});
  return requests;
}

void Launch::measure_machine(schema::Start& record) const {
  record.harness = harness_cost(entry_named(entries_, "noop"), clocks_[clock_index(method::Clock::monotonic)]);
  enter("bounce of a line");
  record.limits = measure_bounce(world_, node_);
  enter("hand-off between cores");
  record.limits.handoff = measure_handoff(world_, handoffs(false));
  enter("TCP between hosts");
  record.limits.tcp = measure_tcp(world_, handoffs(true));
  enter("noise");
  record.noise = measure_noise(world_);
}

}  // namespace groma
