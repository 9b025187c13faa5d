#include "groma/measure/session.hpp"

#include <algorithm>
#include <utility>

#include "groma/buffers/share.hpp"
#include "groma/text/words.hpp"

namespace groma {

bool needs_global_clock(const Point& point) {
  return point.sync == method::Sync::window || point.sync == method::Sync::roundtime ||
         point.reduce == method::Reduce::span || point.reduce == method::Reduce::post_arrival;
}

bool tells_skew(const Info& info, const Point& point) {
  // A barrier's exit skew differs from library to library.
  return needs_global_clock(point) || info.family == Family::collective || point.sync == method::Sync::barrier;
}

std::string point_text(const Point& point, std::size_t members) {
  return point.operation + ", " + (point.bytes > 0 ? size_text(point.bytes) + ", " : "") + std::to_string(members) +
         " ranks";
}

Session::Session(const LaunchContext& context, const Configured& operation, const Point& point, const Party& party,
                 const GlobalClock* global, std::int64_t index)
    : entries_(context.entries),
      index_(index),
      asked_(point),
      point_(own_share(point, party.work.size())),
      party_(party),
      sampler_(context, operation, point_, party, global, index),
      payload_(sampler_.subject().payload(), sampler_.mirror(), party, point_text(point_, party.members.size())),
      samples_(party.control, {.phases = operation.entry().phases,
                               .every_rank = point_.per_rank,
                               .completion = global != nullptr && operation.info().family == Family::collective,
                               .most_listed = context.most_listed}),
      rule_(point_, party.control) {}

void Session::open() {
  history_.opened_ns = Monotonic::now();
  MPI_Barrier(party_.control.get());
  gather_new_ranks();
  if (sampler_.subject().entry().happened != nullptr || in_trouble()) return;
  for (int trial = 1; trial <= 2 && !done(); ++trial) validated_call(trial);
  if (done()) return;
  sampler_.prepare();
  settle_starts();
  for (std::int64_t left = point_.warmups - 1; left > 0; left -= longest_batch) {
    const Reduced batch = sampler_.calls("warming up", std::min(left, longest_batch), no_limit);
    history_.warmup_ns.insert(history_.warmup_ns.end(), batch.samples.begin(), batch.samples.end());
  }
  if (settles(point_)) settle();
  if (point_.timing == method::Timing::block) choose_block();
  if (first_member()) rule_.expect(history_.settling.phases(sampler_.block()));
}

void Session::gather_new_ranks() {
  const int mine = sampler_.subject().new_rank();
  if (mine < 0) return;
  new_ranks_.resize(party_.members.size());
  MPI_Gather(&mine, 1, MPI_INT, new_ranks_.data(), 1, MPI_INT, 0, party_.control.get());
}

/// One timed call, started by a barrier, whose result is then compared. The first is the record's first call.
void Session::validated_call(int trial) {
  const int root = sampler_.next_root();
  fill(trial, root);
  const Reduced call = sampler_.single_call(trial == 1 ? "first call" : "validated call");
  if (trial == 1) history_.first_call_ns = call.samples.front();
  if (trial == 2) history_.warmup_ns.push_back(call.samples.front());
  compare(trial, root);
}

/// Fills the arrays, and has the operation begin with them as they lie: some exchange them between calls.
void Session::fill(int trial, int root) {
  sampler_.subject().deliver();
  payload_.fill(trial, root);
  sampler_.subject().touching().change_filled(root);
  sampler_.subject().place();
  sampler_.subject().expose();
}

/// Compares what has arrived by now.
void Session::compare(int trial, int root) {
  sampler_.subject().deliver();
  if (in_trouble()) return;
  if (auto wrong = payload_.compare(trial, root)) failure_ = std::move(wrong);
}

/// True if the point ends since calls that return their errors failed on some rank. Collective.
bool Session::in_trouble() {
  const Subject& subject = sampler_.subject();
  if (!failure_ && subject.can_fail()) {
    failure_ = payload_.failed(subject.entry().trouble_reason, subject.trouble());
  }
  return failure_.has_value();
}

/// What a sample may take, by the calls before the first one.
double Session::expected_ns() const {
  if (history_.warmup_ns.empty()) return 0;
  return median_of(history_.warmup_ns) * static_cast<double>(sampler_.block());
}

/// What is found out once, when no more samples come.
void Session::complete() {
  samples_.complete();
  if (!failure_) failure_ = payload_.lost_device();
  if (failure_) return;
  const double call_ns = median_of(samples_.ns()) / static_cast<double>(sampler_.block());
  history_.touch = sampler_.touch_time(call_ns);
}

/// The samples of what happened before the first point.
void Session::recall() {
  const Reduced all = sampler_.recalled();
  if (!all.samples.empty()) history_.first_call_ns = all.samples.front();
  samples_.keep(all);
  rule_.end();
  require_samples();
  complete();
  history_.closed_ns = Monotonic::now();
}

void Session::draw(std::int64_t most) {
  if (sampler_.subject().entry().happened != nullptr) return recall();
  const std::int64_t begin_ns = Monotonic::now();
  const auto [count, slot_ns] = rule_.next(most, static_cast<std::int64_t>(samples_.ns().size()), expected_ns());
  constexpr int trial = 3;
  const bool leftovers = point_.check && payload_.repeatable() && !writes(point_) &&
                         (!sampler_.rooted() || point_.root == method::Root::fixed) && sampler_.warm();
  const int root = static_cast<int>(point_.root_rank);
  if (leftovers) fill(trial, root);
  const bool first_batch = history_.closed_ns == 0;
  if (first_batch && point_.warmups > 0) sampler_.last_warmup();
  const Reduced batch = sampler_.draw("sampling", count, slot_ns);
  if (in_trouble()) return;
  samples_.keep(batch);
  if (leftovers) {
    compare(trial, root);
  } else if (point_.check) {
    validated_call(trial);
  }
  rule_.spend(1e-9 * static_cast<double>(Monotonic::now() - begin_ns));
  const std::size_t slow = rule_.judge(samples_.ns(), samples_.invalid(), sampler_.block());
  if (slow > 0) samples_.leave_out_start(slow);
  reconsider_starts(batch);
  require_samples();
  if (done()) complete();
  history_.closed_ns = Monotonic::now();
}

}  // namespace groma
