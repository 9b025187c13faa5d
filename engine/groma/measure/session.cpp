#include "groma/measure/session.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "groma/measure/interval.hpp"
#include "groma/plan/fields.hpp"
#include "groma/plan/words.hpp"
#include "groma/record/point_json.hpp"

namespace groma {
namespace {

Site site_of(const Entry& entry, const Point& point, const Party& party) {
  Site site;
  site.comm = party.work.get();
  site.rank = party.control.rank();
  site.ranks = party.control.size();
  site.first = entry.info.parties == Parties::group ? site.rank == 0 : site.rank % 2 == 0;
  site.partner = site.rank % 2 == 0 ? site.rank + 1 : site.rank - 1;
  site.left = (site.rank + site.ranks - 1) % site.ranks;
  site.right = (site.rank + 1) % site.ranks;
  site.root = static_cast<int>(point.root_rank);
  site.count = static_cast<int>(point.bytes / element_bytes(point.datatype));
  site.window = static_cast<int>(point.window);
  site.type = mpi_type(point.datatype);
  site.reduction = mpi_reduction(point.reduction);
  site.message_bytes = point.bytes;
  return site;
}

std::size_t sync_index(std::string_view name) {
  std::size_t index = 0;
  [&]<class... Each>(std::tuple<Each...>*) {
    std::size_t at = 0;
    ((name == Each::name ? void(index = at++) : void(++at)), ...);
  }(static_cast<Syncs*>(nullptr));
  return index;
}

auto sync_function(std::size_t index) {
  return []<class... Each>(std::tuple<Each...>*, std::size_t at) {
    constexpr std::array<void (*)(const Meeting&) noexcept, sizeof...(Each)> waits{&Each::wait...};
    return waits[at];
  }(static_cast<Syncs*>(nullptr), index);
}

struct Reduction {
  MPI_Op operation;
  std::int64_t neutral;
};

Reduction reduction_of(const std::string& reduce) {
  if (reduce == "mean") return {MPI_SUM, 0};
  if (reduce == "min") return {MPI_MIN, std::numeric_limits<std::int64_t>::max()};
  return {MPI_MAX, std::numeric_limits<std::int64_t>::min()};
}

}  // namespace

std::uint64_t next_random(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15;
  std::uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EB;
  return mixed ^ (mixed >> 31U);
}

std::string point_text(const Point& point, std::size_t members) {
  return point.operation + ", " + (point.bytes > 0 ? size_text(point.bytes) + ", " : "") + std::to_string(members) +
         " ranks";
}

Session::Session(const Workshop& workshop, const Entry& entry, const Point& point, const Party& party,
                 std::int64_t index)
    : workshop_(workshop),
      entry_(entry),
      point_(point),
      party_(party),
      index_(index),
      site_(site_of(entry, point, party)),
      payload_(entry.info, point, site_, lay_out(workshop.arena, point)),
      operation_(entry.make(site_, buffers_for(entry.info, point, lay_out(workshop.arena, point)))),
      clock_(workshop.clocks[clock_index(point.clock)]),
      start_(longest_batch),
      end_(longest_batch),
      root_state_(static_cast<std::uint64_t>(workshop.seed) * 1'000'003U + static_cast<std::uint64_t>(index)) {
  const std::size_t sync = sync_index(point.sync);
  const std::size_t clock = clock_index(point.clock);
  call_loop_ = entry.call[clock][sync];
  block_loop_ = entry.block[clock];
  sync_ = sync_function(sync);
}

void Session::open() {
  opened_ns_ = Monotonic::now();
  MPI_Barrier(party_.control.get());
  validated_call(1);
  if (done_) return;
  validated_call(2);
  if (done_) return;
  for (std::int64_t left = point_.warmups; left > 0; left -= longest_batch) {
    const auto times = run_calls("warming up", std::min(left, longest_batch));
    warmup_.insert(warmup_.end(), times.begin(), times.end());
  }
  if (point_.timing == "block") choose_block();
}

/// One timed call whose result is then compared: the first is the record's first call, the next the first warm-up.
void Session::validated_call(int trial) {
  schedule_roots(1);
  const int root = rooted() ? roots_[0] : 0;
  payload_.fill(trial, root);
  const auto times = timed_calls(trial == 1 ? "first call" : "validated call", 1);
  if (first_member()) {
    if (trial == 1) first_call_ns_ = times.front();
    if (trial == 2) warmup_.push_back(times.front());
  }
  check_payload(trial, root);
}

void Session::check_payload(int trial, int root) {
  const auto wrong = payload_.verify(trial, root);
  const int mine = wrong ? site_.rank : site_.ranks;
  int first = 0;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, party_.control.get());
  std::int64_t checked = payload_.checked_elements(root);
  MPI_Reduce(first_member() ? MPI_IN_PLACE : &checked, &checked, 1, MPI_INT64_T, MPI_SUM, 0, party_.control.get());
  if (first_member()) checked_ = checked;
  if (first == site_.ranks) return;
  std::string text;
  if (mine == first) {
    text = point_text(point_, party_.members.size()) + ": wrong data on rank " +
           std::to_string(party_.members[static_cast<std::size_t>(first)]) + " at offset " +
           std::to_string(wrong->offset_bytes) + ": expected " + plain_number(wrong->expected) + ", found " +
           plain_number(wrong->found);
  }
  failure_ = broadcast_text(party_.control, text, first);
  failed_ranks_ = {party_.members[static_cast<std::size_t>(first)]};
  done_ = true;
}

void Session::schedule_roots(std::int64_t count) {
  if (rooted()) {
    const auto ranks = static_cast<std::uint64_t>(site_.ranks);
    const auto first = static_cast<std::uint64_t>(point_.root_rank);
    roots_.resize(std::max(roots_.size(), static_cast<std::size_t>(count)));
    for (std::int64_t i = 0; i < count; ++i) {
      std::uint64_t root = first;
      if (point_.root == "rotate") root = (first + static_cast<std::uint64_t>(calls_made_ + i)) % ranks;
      if (point_.root == "random") root = next_random(root_state_) % ranks;
      roots_[static_cast<std::size_t>(i)] = static_cast<int>(root);
    }
  }
  calls_made_ += count;
}

void Session::note(const char* stage, std::int64_t count) {
  std::fill_n(start_.begin(), count, 0);
  std::fill_n(end_.begin(), count, 0);
  if (workshop_.watchdog != nullptr) workshop_.watchdog->enter(stage, start_.data(), end_.data(), count);
}

std::vector<std::int64_t> Session::run_calls(const char* stage, std::int64_t count) {
  schedule_roots(count);
  return timed_calls(stage, count);
}

/// Calls with the roots that were scheduled last.
std::vector<std::int64_t> Session::timed_calls(const char* stage, std::int64_t count) {
  note(stage, count);
  const Batch batch{start_.data(), end_.data(), roots_.data(), count, meeting()};
  call_loop_(operation_.get(), batch);
  std::vector<std::int64_t> times(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < times.size(); ++i) times[i] = clock_.to_ns(end_[i]) - clock_.to_ns(start_[i]);
  return reduce(std::move(times));
}

std::vector<std::int64_t> Session::run_blocks(const char* stage, std::int64_t count) {
  note(stage, count);
  std::vector<std::int64_t> times(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    schedule_roots(block_);
    const Batch batch{&start_[static_cast<std::size_t>(i)], &end_[static_cast<std::size_t>(i)], roots_.data(), block_,
                      meeting()};
    sync_(batch.meeting);
    block_loop_(operation_.get(), batch);
  }
  for (std::size_t i = 0; i < times.size(); ++i) times[i] = clock_.to_ns(end_[i]) - clock_.to_ns(start_[i]);
  return reduce(std::move(times));
}

/// The times of one batch over ranks, repetition by repetition; on the first member.
std::vector<std::int64_t> Session::reduce(std::vector<std::int64_t> times) const {
  const bool pairs_first = entry_.info.timers == Timers::first;
  const Reduction reduction = reduction_of(point_.reduce);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const bool counts =
        point_.reduce == "root" ? site_.rank == (rooted() ? roots_[i] : 0) : !pairs_first || site_.first;
    if (!counts) times[i] = reduction.neutral;
  }
  std::vector<std::int64_t> samples(first_member() ? times.size() : 0);
  MPI_Reduce(times.data(), samples.data(), static_cast<int>(times.size()), MPI_INT64_T, reduction.operation, 0,
             party_.control.get());
  if (point_.reduce == "mean") {
    const std::int64_t timers = pairs_first ? site_.ranks / 2 : site_.ranks;
    for (std::int64_t& sample : samples) sample = (sample + timers / 2) / timers;
  }
  return samples;
}

/// The shortest block that lasts 20 us and 100 steps of the clock, found by growing it.
void Session::choose_block() {
  constexpr double shortest_ns = 20'000;
  constexpr double longest_calls = 1 << 22;
  const double target_ns = std::max(shortest_ns, 100 * clock_.resolution_ns);
  block_ = std::max<std::int64_t>(1, point_.block);
  while (point_.block == 0) {
    const auto times = run_blocks("choosing the block", 1);
    double next = 0;
    if (first_member()) {
      const double took_ns = std::max(1.0, static_cast<double>(times.front()));
      if (took_ns < target_ns)
        next = std::ceil(static_cast<double>(block_) * std::clamp(1.1 * target_ns / took_ns, 1.5, 16.0));
    }
    auto grown = static_cast<std::int64_t>(std::min(next, longest_calls));
    MPI_Bcast(&grown, 1, MPI_INT64_T, 0, party_.control.get());
    if (grown <= block_) break;
    block_ = grown;
  }
}

void Session::draw(std::int64_t most) {
  const std::int64_t begin_ns = Monotonic::now();
  std::int64_t count = 0;
  if (first_member()) {
    double expected_s = 0;
    if (!samples_.empty()) {
      expected_s = drawing_s_ / static_cast<double>(samples_.size());
    } else if (!warmup_.empty()) {
      expected_s = 1e-9 * median_of(warmup_) * static_cast<double>(block_);
    }
    count = std::min(most, next_batch(point_, static_cast<std::int64_t>(samples_.size()), drawing_s_, expected_s));
  }
  MPI_Bcast(&count, 1, MPI_INT64_T, 0, party_.control.get());
  constexpr int trial = 3;
  if (point_.check && payload_.repeatable()) payload_.fill(trial, static_cast<int>(point_.root_rank));
  const auto times = point_.timing == "block" ? run_blocks("sampling", count) : run_calls("sampling", count);
  if (point_.check && payload_.repeatable() && (!rooted() || point_.root == "fixed")) {
    check_payload(trial, static_cast<int>(point_.root_rank));
  } else if (point_.check) {
    validated_call(trial);
  }
  samples_.insert(samples_.end(), times.begin(), times.end());
  drawing_s_ += 1e-9 * static_cast<double>(Monotonic::now() - begin_ns);
  auto reason = static_cast<int>(first_member() ? enough(point_, samples_, drawing_s_) : Stopped::no);
  MPI_Bcast(&reason, 1, MPI_INT, 0, party_.control.get());
  stopped_ = static_cast<Stopped>(reason);
  done_ = done_ || stopped_ != Stopped::no;
  closed_ns_ = Monotonic::now();
}

nlohmann::ordered_json Session::record() const {
  const Shape shape{.bytes = point_.bytes, .ranks = site_.ranks, .window = point_.window};
  const auto interval = median_interval(samples_);
  constexpr std::size_t most_listed = 64;
  std::vector<int> listed(party_.members.begin(), party_.members.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                               most_listed, party_.members.size())));
  nlohmann::ordered_json record{
      {"schema", 1}, {"kind", "point"}, {"index", index_}, {"sequence", 0}, {"point", point_json(point_)}};
  record["members"] = listed;
  record["member_count"] = party_.members.size();
  record["hosts"] = party_.hosts;
  record["first_call_ns"] = first_call_ns_;
  record["warmup_ns"] = warmup_;
  record["samples_ns"] = samples_;
  record["repetitions_per_sample"] = block_;
  record["divisor"] = entry_.info.divisor;
  record["bytes_moved"] = entry_.bytes_moved(shape);
  record["messages"] = entry_.messages(shape);
  record["median_ns"] = median_of(samples_) / static_cast<double>(block_) / entry_.info.divisor;
  record["half_width"] = interval ? nlohmann::ordered_json(interval->half_width()) : nlohmann::ordered_json(nullptr);
  record["stopped_by"] = stopped_by(stopped_);
  record["validated"] = entry_.info.result != Result::none;
  record["checked_elements"] = checked_;
  record["skew_ns"] = nullptr;
  record["elapsed_ns"] = closed_ns_ - opened_ns_;
  return record;
}

}  // namespace groma
