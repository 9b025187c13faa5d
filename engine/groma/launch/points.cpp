// The points of a launch, one after the other or in rounds, until each is recorded.
#include <algorithm>
#include <numeric>
#include <set>

#include "groma/launch/launch.hpp"
#include "groma/measure/syncs.hpp"
#include "groma/mpi/together.hpp"
#include "groma/random.hpp"
#include "groma/schema/json.hpp"

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

schema::ClockError recorded(const ClockError& error) {
  return {.before_ns = error.before.residual_ns,
          .after_ns = error.after.residual_ns,
          .bound_ns = std::max(error.before.bound_ns, error.after.bound_ns),
          .limit_ns = error.limit_ns,
          .valid = error.valid()};
}

}  // namespace

const GlobalClock* Launch::global_of(std::size_t index) const {
  const Point& point = plan_.points[index];
  if (!tells_skew(info(index), point)) return nullptr;
  return keeper_->global(clock_index(point.clock));
}

std::vector<std::size_t> Launch::shuffled() const {
  std::vector<std::size_t> order(plan_.points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (plan_.order != method::Order::shuffled) return order;
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
  revisit(order);
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

/// Visits every point a second time, after all others. Rounds over all points need no such visit: they spread samples
/// over the launch. A visit is so short that one interruption spoils it: points that are found changed are visited
/// again.
void Launch::revisit(const std::vector<std::size_t>& order) {
  constexpr std::int64_t most_visits = 3;
  std::vector<std::int64_t> counts;
  for (const FirstVisit& first : first_visits_) counts.push_back(first.count);
  MPI_Allreduce(MPI_IN_PLACE, counts.data(), static_cast<int>(counts.size()), MPI_INT64_T, MPI_MAX, world_.get());
  if (counts.size() < 2) return;
  std::vector<std::size_t> left;
  std::set<std::size_t> clocks;
  for (const std::size_t index : order) {
    if (counts[index] == 0) continue;
    first_visits_[index].count = counts[index];
    left.push_back(index);
    if (global_of(index) != nullptr) clocks.insert(clock_index(plan_.points[index].clock));
  }
  for (const std::size_t clock : clocks) keeper_->settle(clock);
  for (std::int64_t visits = 1; !left.empty(); ++visits) {
    std::erase_if(left, [&](std::size_t index) { return revisit(index, visits, visits == most_visits); });
  }
}

/// One such visit; whether it was recorded, since the point had not changed or this is the last visit.
bool Launch::revisit(std::size_t index, std::int64_t visits, bool last) {
  const Party& party = *parties_[index];
  const FirstVisit& first = first_visits_[index];
  Point point = plan_.points[index];
  point.sync = first.sync;
  current_ = static_cast<std::int64_t>(index);
  if (watchdog_) watchdog_->arm(current_, point_text(point, party.members.size()), point.limit_s, !party.work.null());
  Json record;
  Status mine = going_on;
  if (!party.work.null()) {
    const LaunchContext context{entries_, clocks_, arena_, watchdog_.get(), plan_.seed};
    Session session(context, operations_[index], point, party, global_of(index), current_);
    session.revisit(first);
    if (session.first_member()) {
      schema::Revisit found = session.revisit_record(first);
      found.visits = visits;
      if (found.agrees.value_or(false)) mine = finished;
      record = schema::json_of(found);
    }
  }
  const bool over = meet(party, mine) == finished || last;
  if (over) write(at_rank_zero(party, std::move(record)), false);
  if (watchdog_) watchdog_->disarm();
  return over;
}

void Launch::start(Progress& progress) {
  if (!left_out_[progress.index].empty()) return leave_out(progress);
  const Point& point = plan_.points[progress.index];
  const Party& party = *parties_[progress.index];
  current_ = static_cast<std::int64_t>(progress.index);
  if (watchdog_) {
    watchdog_->arm(current_, point_text(point, party.members.size()), point.limit_s, !party.work.null());
  }
  const GlobalClock* global = global_of(progress.index);
  if (global != nullptr) progress.clock_error.before = keeper_->settle(clock_index(point.clock));
  if (!party.work.null()) {
    const LaunchContext context{entries_, clocks_, arena_, watchdog_.get(), plan_.seed};
    progress.session = std::make_unique<Session>(context, operations_[progress.index], point, party, global, current_);
    progress.session->open();
  }
  const bool wrong = progress.session && progress.session->done();
  const Status status = meet(party, wrong ? failed : going_on);
  if (status != going_on) finish(progress, status);
  if (watchdog_) watchdog_->disarm();
}

void Launch::leave_out(Progress& progress) {
  const std::string& message = left_out_[progress.index];
  write(schema::json_of(schema::LeftOut{.index = progress.index, .message = message}), false);
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
  if (watchdog_) {
    watchdog_->arm(current_, point_text(point, party.members.size()), point.limit_s, !party.work.null());
  }
  Status mine = going_on;
  if (progress.session) {
    Session& session = *progress.session;
    do {
      session.draw(most > 0 ? most : longest_batch);
    } while (most == 0 && !session.done());
    if (session.done()) mine = !session.failure() ? finished : failed;
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

/// How far the point's clock was off at its end, and how far it might be.
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
    if (progress.session) first_visits_[progress.index] = progress.session->first_visit();
    if (world_.rank() == 0) {
      schema::set<&schema::Point::sequence>(record, progress.sequence);
      if (clocked) schema::set<&schema::Point::clock_error>(record, recorded(progress.clock_error));
    }
    write(record, true);
  }
  progress.session.reset();
  progress.done = true;
}

/// The record of a point, or of its failure, on rank 0.
Json Launch::collect(const Party& party, const Session* session) const {
  if (world_.rank() != party.members.front()) return at_rank_zero(party, {});
  if (!session->failure()) return at_rank_zero(party, schema::json_of(session->record()));
  const Failure& failure = *session->failure();
  return at_rank_zero(
      party, schema::json_of(schema::Failure{
                 .index = current_, .reason = failure.reason, .message = failure.message, .ranks = failure.ranks}));
}

/// The record that the first member has.
Json Launch::at_rank_zero(const Party& party, Json record) const {
  const int first = party.members.front();
  if (first == 0) return record;
  if (world_.rank() == first) to_rank_zero(world_, first, record.dump());
  if (world_.rank() == 0) record = Json::parse(to_rank_zero(world_, first, ""));
  return record;
}

void Launch::write(const Json& record, bool of_point) {
  together(world_, [&] {
    if (world_.rank() != 0) return;
    const Watchdog::Undisturbed whole(watchdog_.get());
    recorder_->write(record);
    if (of_point && client_.hear) client_.hear(record);
    if (of_point && tells_by_table()) print(table_row(record));
  });
}

}  // namespace groma
