// A second, short visit of a point, after the others of the launch were measured: whether its figure still holds.
#include <algorithm>
#include <cmath>

#include "groma/measure/session.hpp"

namespace groma {
namespace {

// What the samples of a second visit may cost, as a share of slot_s. Its warm-up costs as much at most.
constexpr double share_of_slot = 0.015;
constexpr std::int64_t most_samples = 40;
constexpr std::int64_t fewest_samples = 6;  // that have an interval
// Visits whose intervals are further apart than this share of the figure are of different levels.
constexpr double same_visit = 0.02;

}  // namespace

FirstVisit Session::first_visit() const {
  FirstVisit first{.block = sampler_.block(), .sync = point_.sync, .found = {}};
  // Work that is made as long as an exchange would be of another length in a new session, and a start comes once.
  const Entry& entry = sampler_.subject().entry();
  const bool can_come_again = entry.phases.empty() && entry.happened == nullptr;
  if (!first_member() || samples_.ns().empty() || !settles(point_) || !can_come_again) return first;
  const double sample_s =
      rule_.drawing_s() / static_cast<double>(samples_.ns().size() + samples_.discarded_ns().size());
  const auto affordable = static_cast<std::int64_t>(share_of_slot * asked_.slot_s / sample_s);
  if (affordable >= fewest_samples) first.count = std::min(affordable, most_samples);
  first.found = median_interval_or_range(samples_.ns());
  return first;
}

/// The first samples are made to warm up, and for starts at agreed times to learn how far ahead they must be set.
void Session::revisit(const FirstVisit& first) {
  history_.opened_ns = Monotonic::now();
  sampler_.set_block(first.block);
  fill(1, static_cast<int>(point_.root_rank));
  MPI_Barrier(party_.control.get());
  sampler_.prepare();
  const double most_ns = 1e9 * asked_.slot_s;
  for (const std::int64_t count : {std::max(first.count / 2, std::min(first.count, point_.warmups)), first.count}) {
    samples_.forget();
    samples_.keep(sampler_.draw("second visit", count, most_ns));
  }
  history_.closed_ns = Monotonic::now();
}

schema::Revisit Session::revisit_record(const FirstVisit& first) const {
  schema::Revisit record;
  record.index = index_;
  record.count = samples_.ns().size();
  record.elapsed_ns = history_.closed_ns - history_.opened_ns;
  if (samples_.ns().empty()) return record;
  const MedianInterval found = median_interval_or_range(samples_.ns());
  record.median_ns = found.median / static_cast<double>(sampler_.block()) / sampler_.subject().info().divisor;
  record.half_width = found.half_width();
  record.ratio = found.median / first.found.median;
  record.agrees = gap_between(first.found, found) <= same_visit;
  return record;
}

}  // namespace groma
