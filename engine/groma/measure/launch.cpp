#include "groma/measure/launch.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <tuple>

#include "groma/buffers/arena.hpp"
#include "groma/clock/planted.hpp"
#include "groma/machine/files.hpp"
#include "groma/machine/simulated.hpp"
#include "groma/measure/random.hpp"
#include "groma/mpi/together.hpp"
#include "groma/plan/validate.hpp"
#include "groma/plan/words.hpp"
#include "groma/record/describe.hpp"
#include "groma/record/point_json.hpp"

namespace groma {
namespace {

using Json = nlohmann::ordered_json;

/// A text from one rank to rank 0; each calls it, the others don't.
std::string to_rank_zero(const Comm& world, int from, const std::string& text) {
  constexpr int tag = 7;
  if (world.rank() == from) {
    MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, 0, tag, world.get());
    return {};
  }
  MPI_Status status;
  MPI_Probe(from, tag, world.get(), &status);
  int length = 0;
  MPI_Get_count(&status, MPI_CHAR, &length);
  std::string received(static_cast<std::size_t>(length), ' ');
  MPI_Recv(received.data(), length, MPI_CHAR, from, tag, world.get(), MPI_STATUS_IGNORE);
  return received;
}

std::string gib(std::int64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GiB", static_cast<double>(bytes) / (1024.0 * 1024 * 1024));
  return text;
}

Json clock_error_json(const ClockError& error) {
  return {{"before_ns", error.before.residual_ns},
          {"after_ns", error.after.residual_ns},
          {"bound_ns", std::max(error.before.bound_ns, error.after.bound_ns)},
          {"limit_ns", error.limit_ns},
          {"valid", error.valid()}};
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

const Entry& Launch::entry(std::size_t index) const { return entry_for(entries_, plan_.points[index]); }

int Launch::measure() {
  read_plan();
  check_clocks();
  placement_ = measure_placement(world_, node_);
  settle_methods();
  pairs_ = std::make_unique<PairFinder>(world_, placement_.node_of_rank, plan_.seed);
  form_parties();
  check_memory();
  open_outputs();
  together(world_, [&] { arena_ = Arena(needs_); });
  write_start();
  const bool limited =
      std::any_of(plan_.points.begin(), plan_.points.end(), [](const Point& point) { return point.limit_s > 0; });
  if (limited && !simulated) {  // a simulation has no threads of its own to watch with
    watchdog_ = std::make_unique<Watchdog>(
        world_, node_, [this](const auto& message, const auto& ranks) { report_timeout(message, ranks); });
  }
  const LoadWatch load;
  if (plan_.order == "interleaved") {
    measure_interleaved();
  } else {
    measure_one_by_one(shuffled());
  }
  const Json loads = simulated ? Json::array() : load.finish(world_, node_);
  write({{"schema", 1},
         {"kind", "end"},
         {"points", recorded_},
         {"failures", failures_},
         {"elapsed_ns", Monotonic::now() - begin_ns_},
         {"load", loads}},
        false);
  return failures_ == 0 ? 0 : 1;
}

void Launch::read_plan() {
  std::string text;
  together(world_, [&] {
    if (world_.rank() != 0) return;
    command_ = client_.ask();
    for (const Point& point : command_.plan.points) static_cast<void>(unfit(point, {}));
    text = plan_json(command_.plan).dump();
  });
  plan_ = plan_from_json(broadcast_text(world_, text), "the plan", entries_);
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
        throw InputError("clock=" + point.clock + " can't be used on rank " + std::to_string(world_.rank()) + ": " +
                         clock.refused + "; use clock=monotonic");
      }
    }
  });
}

/// Settles what depends on where the ranks run. Starts by the clock fail where a rank may have to wait for its CPU.
void Launch::settle_methods() {
  together(world_, [&] {
    for (Point& point : plan_.points) {
      if (point.sync == "auto") point.sync = placement_.oversubscribed ? "barrier" : "roundtime";
      if (point.sync == "window" && placement_.oversubscribed && !point.force) {
        throw InputError("sync=window of " + point.operation +
                         " can't keep its times: a node has more ranks than CPUs; use sync=barrier, fewer ranks, or "
                         "force=true to see for yourself");
      }
      if (point.arrival != "together" && point.sync != "window" && point.sync != "roundtime") {
        throw InputError("arrival=" + point.arrival + " of " + point.operation +
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
    const std::vector<Group> groups = groups_of(entry(index).info, point, world_.size(), placement_.node_of_rank);
    const int lane = lane_of(point, groups.front(), placement_.node_of_rank);
    std::shared_ptr<Party>& party = known[{groups, point.communicator == "world", lane}];
    if (!party)
      party =
          std::make_shared<Party>(form_party(world_, placement_.node_of_rank, groups, point.communicator == "world"));
    if (entry(index).info.signals && !party->work.null() && party->signals.null()) {
      party->signals = party->work.copy();
    }
    party->lane = lane;
    parties_[index] = party;
  }
}

/// Why a point is left out that may be; empty where it can be had. Throws where it can't and must.
std::string Launch::unfit(const Point& point, std::span<const int> node_of_rank) const {
  try {
    validate(point, entry_named(entries_, point.operation), world_.size(), node_of_rank);
  } catch (const UnfitError& error) {
    if (!point.optional) throw;
    return error.what();
  }
  return {};
}

/// Adds up what the ranks of each node need for the largest point of each, and refuses what does not fit.
void Launch::check_memory() {
  std::size_t largest = 0;
  for (std::size_t index = 0; index < plan_.points.size(); ++index) {
    const Party& party = *parties_[index];
    if (party.work.null()) continue;
    const int ranks = party.work.size();
    const Needs needs = arena_needs(entry(index).info, own_share(plan_.points[index], ranks), ranks);
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

void Launch::write_start() {
  begin_ns_ = Monotonic::now();
  keeper_ = std::make_unique<TimeKeeper>(
      clocks_, world_, node_,
      KeeperRules{
          .method = plan_.clock_sync, .sharing = plan_.clock_sharing, .max_error_ns = 1000 * plan_.max_clock_error_us});
  for (std::size_t index = 0; index < plan_.points.size(); ++index) {
    const Point& point = plan_.points[index];
    if (needs_global_clock(entry(index).info, point)) keeper_->provide(clock_index(point.clock));
  }
  const Json record = start_record();
  write(record, false);
  together(world_, [&] {
    if (tells_by_table()) print(table_heading());
  });
}

const GlobalClock* Launch::global_of(std::size_t index) const {
  const Point& point = plan_.points[index];
  if (!needs_global_clock(entry(index).info, point)) return nullptr;
  return &keeper_->global(clock_index(point.clock));
}

std::vector<std::size_t> Launch::shuffled() const {
  std::vector<std::size_t> order(plan_.points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (plan_.order != "shuffled") return order;
  auto state = static_cast<std::uint64_t>(plan_.seed);
  for (std::size_t left = order.size(); left > 1; --left) {
    std::swap(order[left - 1], order[next_random(state) % left]);
  }
  return order;
}

void Launch::measure_one_by_one(const std::vector<std::size_t>& order) {
  for (std::size_t place = 0; place < order.size(); ++place) {
    Progress progress{.index = order[place], .sequence = static_cast<std::int64_t>(place), .session = {}};
    start(progress);
    while (!progress.done) advance(progress, 0);
  }
}

/// Rounds over all points, a few samples of each at a time, so that a drift of the machine meets them all alike.
void Launch::measure_interleaved() {
  constexpr std::int64_t samples_a_round = 10;
  std::vector<Progress> all(plan_.points.size());
  for (std::size_t index = 0; index < all.size(); ++index) {
    all[index].index = index;
    all[index].sequence = static_cast<std::int64_t>(index);
    start(all[index]);
  }
  const auto is_done = [](const Progress& progress) { return progress.done; };
  while (!std::all_of(all.begin(), all.end(), is_done)) {
    for (Progress& progress : all) {
      if (!progress.done) advance(progress, samples_a_round);
    }
  }
}

void Launch::start(Progress& progress) {
  if (!left_out_[progress.index].empty()) return leave_out(progress);
  const Point& point = plan_.points[progress.index];
  const Party& party = *parties_[progress.index];
  current_ = static_cast<std::int64_t>(progress.index);
  if (watchdog_) watchdog_->arm(point_text(point, party.members.size()), point.limit_s, !party.work.null());
  const GlobalClock* global = global_of(progress.index);
  if (global != nullptr) progress.clock_error.before = keeper_->settle(clock_index(point.clock));
  if (!party.work.null()) {
    const Workshop workshop{clocks_, arena_, watchdog_.get(), plan_.seed};
    progress.session = std::make_unique<Session>(workshop, entry(progress.index), point, party, global, current_);
    progress.session->open();
  }
  const bool wrong = progress.session && progress.session->done();
  const Status status = meet(party, wrong ? failed : going_on);
  if (status != going_on) finish(progress, status);
  if (watchdog_) watchdog_->disarm();
}

void Launch::leave_out(Progress& progress) {
  const std::string& message = left_out_[progress.index];
  write({{"schema", 1}, {"kind", "left_out"}, {"index", progress.index}, {"message", message}}, false);
  together(world_, [&] {
    if (tells_by_table()) print("# left out: " + message + "\n");
  });
  progress.done = true;
}

/// Samples until the point is done, or one batch of at most `most` where that is given.
void Launch::advance(Progress& progress, std::int64_t most) {
  const Point& point = plan_.points[progress.index];
  const Party& party = *parties_[progress.index];
  current_ = static_cast<std::int64_t>(progress.index);
  if (watchdog_) watchdog_->arm(point_text(point, party.members.size()), point.limit_s, !party.work.null());
  Status mine = going_on;
  if (progress.session) {
    Session& session = *progress.session;
    do {
      session.draw(most > 0 ? most : longest_batch);
    } while (most == 0 && !session.done());
    if (session.done()) mine = session.failure().empty() ? finished : failed;
  }
  const Status status = meet(party, mine);
  if (status != going_on) finish(progress, status);
  if (watchdog_) watchdog_->disarm();
}

/// Everyone comes together after the members' work; ranks without a part have slept meanwhile.
Launch::Status Launch::meet(const Party& party, Status mine) const {
  if (static_cast<int>(party.members.size()) < world_.size()) {
    if (party.work.null()) {
      wait_asleep(world_.get());
    } else {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Ibarrier(world_.get(), &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
  int status = mine;
  MPI_Allreduce(MPI_IN_PLACE, &status, 1, MPI_INT, MPI_MAX, world_.get());
  return static_cast<Status>(status);
}

/// How far the point's clock was off at its end, and how far it might be (METHODS 2).
void Launch::close_clock(Progress& progress) {
  progress.clock_error.after = keeper_->check(clock_index(plan_.points[progress.index].clock));
  std::int64_t window_ns = progress.session ? progress.session->window_ns() : 0;
  MPI_Allreduce(MPI_IN_PLACE, &window_ns, 1, MPI_INT64_T, MPI_MAX, world_.get());
  progress.clock_error.limit_ns = std::max(1000 * plan_.max_clock_error_us, 0.1 * static_cast<double>(window_ns));
}

void Launch::finish(Progress& progress, Status status) {
  const Party& party = *parties_[progress.index];
  const bool clocked = global_of(progress.index) != nullptr;
  if (clocked) close_clock(progress);
  Json record = collect(party, progress.session.get());
  if (status == failed) {
    ++failures_;
    if (world_.rank() == 0) complain(record["message"].get<std::string>());
    write(record, false);
  } else {
    ++recorded_;
    if (world_.rank() == 0) {
      record["sequence"] = progress.sequence;
      record["clock_error"] = clocked ? clock_error_json(progress.clock_error) : Json(nullptr);
    }
    write(record, true);
  }
  progress.session.reset();
  progress.done = true;
}

/// The record of a point, or of its failure, on rank 0.
Json Launch::collect(const Party& party, const Session* session) const {
  const int first = party.members.front();
  Json record;
  if (world_.rank() == first) {
    record = session->failure().empty() ? session->record()
                                        : Json{{"schema", 1},
                                               {"kind", "failure"},
                                               {"index", current_},
                                               {"reason", "wrong_data"},
                                               {"message", session->failure()},
                                               {"ranks", session->failed_ranks()}};
  }
  if (first == 0) return record;
  if (world_.rank() == first) to_rank_zero(world_, first, record.dump());
  if (world_.rank() == 0) record = Json::parse(to_rank_zero(world_, first, ""));
  return record;
}

void Launch::write(const Json& record, bool of_point) {
  together(world_, [&] {
    if (world_.rank() != 0) return;
    recorder_->write(record);
    if (of_point && client_.hear) client_.hear(record);
    if (of_point && tells_by_table()) print(table_row(record));
  });
}

void Launch::report_timeout(const std::string& message, const std::vector<int>& ranks) {
  try {
    recorder_->write({{"schema", 1},
                      {"kind", "failure"},
                      {"index", current_},
                      {"reason", "timeout"},
                      {"message", message},
                      {"ranks", ranks}});
  } catch (const OutputError& error) {
    complain(error.what());
  }
}

}  // namespace groma
