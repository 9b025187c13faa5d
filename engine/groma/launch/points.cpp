#include "groma/launch/points.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "groma/launch/rank_times.hpp"
#include "groma/mpi/asleep.hpp"
#include "groma/mpi/together.hpp"
#include "groma/random.hpp"
#include "groma/schema/json.hpp"
#include "groma/timed/syncs.hpp"

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

schema::ClockError record_of(const ClockError& error) {
  return {.before_ns = error.before.residual_ns,
          .after_ns = error.after.residual_ns,
          .bound_ns = std::max(error.before.bound_ns, error.after.bound_ns),
          .limit_ns = error.limit_ns,
          .valid = error.valid()};
}

/// Points are measured in the order of the plan, or in one drawn from its seed.
std::vector<std::size_t> order_of(const Plan& plan) {
  std::vector<std::size_t> order(plan.points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (plan.order != method::Order::shuffled) return order;
  auto state = static_cast<std::uint64_t>(plan.seed);
  for (std::size_t left = order.size(); left > 1; --left) {
    std::swap(order[left - 1], order[next_random(state) % left]);
  }
  return order;
}

}  // namespace

/// While one lives a point has the time that its `limit_s` gives.
class PointRunner::Limited {
 public:
  Limited(Watchdog* watchdog, const Agenda& agenda, std::size_t index) : watchdog_(watchdog) {
    if (watchdog_ == nullptr) return;
    const bool member = !agenda.party(index).work.null();
    watchdog_->arm(static_cast<std::int64_t>(index), agenda.text(index), agenda.point(index).limit_s, member);
  }
  ~Limited() {
    if (watchdog_ != nullptr) watchdog_->disarm();
  }
  Limited(const Limited&) = delete;
  Limited& operator=(const Limited&) = delete;

 private:
  Watchdog* watchdog_;
};

PointRunner::PointRunner(const Comm& world, const Agenda& agenda, const LaunchContext& context, TimeKeeper& keeper,
                         const Output& output, LineGauge& gauge)
    : world_(world),
      agenda_(agenda),
      context_(context),
      keeper_(keeper),
      output_(output),
      gauge_(gauge),
      first_visits_(agenda.size()) {}

void PointRunner::measure() {
  if (agenda_.plan().order == method::Order::interleaved) {
    measure_interleaved();
  } else {
    measure_one_by_one(order_of(agenda_.plan()));
  }
}

const GlobalClock* PointRunner::global_of(std::size_t index) const {
  const Point& point = agenda_.point(index);
  if (!tells_skew(agenda_.info(index), point)) return nullptr;
  return keeper_.global(clock_index(point.clock));
}

void PointRunner::measure_one_by_one(const std::vector<std::size_t>& order) {
  for (std::size_t place = 0; place < order.size(); ++place) {
    Progress progress{.index = order[place], .sequence = static_cast<std::int64_t>(place)};
    start(progress);
    while (!progress.done) advance(progress, 0);
  }
  revisit(order);
}

/// Rounds over all points, a few samples of each at a time, so that a drift of the machine meets them all alike.
void PointRunner::measure_interleaved() {
  constexpr std::int64_t samples_a_round = 10;
  std::vector<Progress> all(agenda_.size());
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
void PointRunner::revisit(const std::vector<std::size_t>& order) {
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
    if (global_of(index) != nullptr) clocks.insert(clock_index(agenda_.point(index).clock));
  }
  for (const std::size_t clock : clocks) keeper_.settle(clock);
  for (std::int64_t visits = 1; !left.empty(); ++visits) {
    std::erase_if(left, [&](std::size_t index) { return revisit(index, visits, visits == most_visits); });
  }
}

/// One such visit; whether it was recorded, since the point had not changed or this is the last visit.
bool PointRunner::revisit(std::size_t index, std::int64_t visits, bool last) {
  const Party& party = agenda_.party(index);
  const FirstVisit& first = first_visits_[index];
  Point point = agenda_.point(index);
  point.sync = first.sync;
  const Limited limited(context_.watchdog, agenda_, index);
  Json record;
  Status mine = going_on;
  Progress progress{.index = index, .load = load_of(index)};
  if (!party.work.null()) {
    await_load(index);
    Session session(context_, agenda_.operation(index), point, party, global_of(index),
                    static_cast<std::int64_t>(index));
    session.revisit(first);
    if (session.first_member()) {
      schema::Revisit visit = session.revisit_record(first);
      visit.visits = visits;
      if (visit.agrees.value_or(false)) mine = finished;
      record = schema::json_of(visit);
    }
  }
  const bool over = meet(progress, mine) == finished || last;
  if (over) output_.write(at_rank_zero(party, std::move(record)));
  return over;
}

void PointRunner::start(Progress& progress) {
  const std::size_t index = progress.index;
  if (!agenda_.left_out(index).empty()) return leave_out(progress);
  if (!agenda_.lacking(index).empty()) return fail_for_lack(progress);
  const Point& point = agenda_.point(index);
  const Party& party = agenda_.party(index);
  const Limited limited(context_.watchdog, agenda_, index);
  const GlobalClock* global = global_of(index);
  if (global != nullptr) progress.clock_error.before = keeper_.settle(clock_index(point.clock));
  progress.load = load_of(index);
  if (!party.work.null()) {
    progress.session = std::make_unique<Session>(context_, agenda_.operation(index), point, party, global,
                                                 static_cast<std::int64_t>(index));
    await_load(index);
    progress.session->open();
  }
  const bool wrong = progress.session && progress.session->done();
  const Status status = meet(progress, wrong ? failed : going_on);
  if (status != going_on) finish(progress, status);
}

void PointRunner::leave_out(Progress& progress) {
  const std::string& message = agenda_.left_out(progress.index);
  output_.write(schema::json_of(schema::LeftOut{.index = progress.index, .message = message}));
  output_.tell("# left out: " + message + "\n");
  progress.done = true;
}

void PointRunner::fail_for_lack(Progress& progress) {
  const std::string& message = agenda_.lacking(progress.index);
  ++failures_;
  if (world_.rank() == 0) complain(message);
  output_.write(schema::json_of(schema::Failure{
      .index = static_cast<std::int64_t>(progress.index), .reason = "lacking", .message = message, .ranks = {}}));
  progress.done = true;
}

/// Samples until the point is done, or one batch of at most `most` if that is given.
void PointRunner::advance(Progress& progress, std::int64_t most) {
  const Limited limited(context_.watchdog, agenda_, progress.index);
  Status mine = going_on;
  if (progress.session) {
    Session& session = *progress.session;
    await_load(progress.index);
    if (!progress.begun) gauge(progress);
    progress.begun = true;
    do {
      session.draw(most > 0 ? most : longest_batch);
    } while (most == 0 && !session.done());
    if (session.done()) gauge(progress);
    if (session.done()) mine = !session.failure() ? finished : failed;
  }
  const Status status = meet(progress, mine);
  if (status != going_on) finish(progress, status);
}

/// How near the CPUs of the first ranks are, before and after samples.
void PointRunner::gauge(Progress& progress) const {
  const std::optional<double> way_ns = gauge_.read(agenda_.party(progress.index).members);
  if (!way_ns) return;
  std::vector<double>& seen = progress.line_ns;
  seen = seen.empty() ? std::vector{*way_ns, *way_ns}
                      : std::vector{std::min(seen.front(), *way_ns), std::max(seen.back(), *way_ns)};
}

/// Everyone comes together after the members' work; ranks without a part have slept meanwhile, or loaded.
PointRunner::Status PointRunner::meet(const Progress& progress, Status mine) const {
  const Party& party = agenda_.party(progress.index);
  if (static_cast<int>(party.members.size()) < world_.size()) {
    if (progress.load) {
      load_until_met(progress);
    } else if (party.work.null()) {
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
void PointRunner::close_clock(Progress& progress) {
  progress.clock_error.after = keeper_.check(clock_index(agenda_.point(progress.index).clock));
  std::int64_t window_ns = progress.session ? progress.session->window_ns() : 0;
  MPI_Allreduce(MPI_IN_PLACE, &window_ns, 1, MPI_INT64_T, MPI_MAX, world_.get());
  progress.clock_error.limit_ns =
      std::max(1000 * agenda_.plan().max_clock_error_us, 0.1 * static_cast<double>(window_ns));
}

void PointRunner::finish(Progress& progress, Status status) {
  const bool clocked = global_of(progress.index) != nullptr;
  if (clocked) close_clock(progress);
  Json record = collect(progress);
  const schema::Load load = load_record(progress);
  if (status == failed) {
    ++failures_;
    if (world_.rank() == 0) complain(record["message"].get<std::string>());
    output_.write(record);
  } else {
    ++recorded_;
    if (progress.session) first_visits_[progress.index] = progress.session->first_visit();
    write_rank_times(progress, record);
    if (world_.rank() == 0) {
      schema::set<&schema::Point::sequence>(record, progress.sequence);
      if (clocked) schema::set<&schema::Point::clock_error>(record, record_of(progress.clock_error));
      if (!load.ranks.empty()) schema::set<&schema::Point::load>(record, load);
      if (!progress.line_ns.empty()) schema::set<&schema::Point::line_ns>(record, progress.line_ns);
    }
    if (agenda_.operation(progress.index).entry().at_end) {
      output_.keep_point(std::move(record));
    } else {
      output_.write_point(record);
    }
  }
  progress.session.reset();
  progress.load.reset();
  progress.done = true;
}

/// The times of all ranks, if they are too many for the record, which then says where they are.
void PointRunner::write_rank_times(const Progress& progress, Json& record) const {
  if (!agenda_.point(progress.index).per_rank || context_.most_listed == unlimited) return;
  const std::string at(schema::name_of<&schema::Point::ranks_at>());
  int apart = world_.rank() == 0 && record.contains(at) ? 1 : 0;
  MPI_Bcast(&apart, 1, MPI_INT, 0, world_.get());
  if (apart == 0) return;
  const std::vector<int>& members = agenda_.party(progress.index).members;
  const auto own = progress.session ? progress.session->times_apart() : std::span<const std::int64_t>();
  const std::int64_t offset = append_rank_times(world_, output_.records(), members, own);
  if (world_.rank() == 0) record[at][std::string(schema::name_of<&schema::RanksAt::offset>())] = offset;
}

/// The record of a point, or of its failure, on rank 0.
Json PointRunner::collect(const Progress& progress) const {
  const Party& party = agenda_.party(progress.index);
  if (world_.rank() != party.members.front()) return at_rank_zero(party, {});
  const std::optional<Failure>& failure = progress.session->failure();
  if (!failure) return at_rank_zero(party, schema::json_of(progress.session->record()));
  return at_rank_zero(party, schema::json_of(schema::Failure{.index = static_cast<std::int64_t>(progress.index),
                                                             .reason = failure->reason,
                                                             .message = failure->message,
                                                             .ranks = failure->ranks}));
}

/// The record that the first member has.
Json PointRunner::at_rank_zero(const Party& party, Json record) const {
  const int first = party.members.front();
  if (first == 0) return record;
  if (world_.rank() == first) to_rank_zero(world_, first, record.dump());
  if (world_.rank() == 0) record = Json::parse(to_rank_zero(world_, first, ""));
  return record;
}

}  // namespace groma
