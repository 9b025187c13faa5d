// What a session says of itself when it is over: the record of its point.
#include "groma/buffers/layout.hpp"
#include "groma/clock/calendar.hpp"
#include "groma/measure/session.hpp"
#include "groma/record/point_json.hpp"
#include "groma/stopping/interval.hpp"

namespace groma {
namespace {

template <class Value>
std::optional<Value> where(bool known, const Value& value) {
  return known ? std::optional(value) : std::nullopt;
}

template <class Item>
std::vector<Item> first_of(const std::vector<Item>& members) {
  constexpr std::size_t most_listed = 64;
  return {members.begin(), members.begin() + static_cast<std::ptrdiff_t>(std::min(most_listed, members.size()))};
}

}  // namespace

schema::Point Session::record() const {
  const Subject& subject = sampler_.subject();
  const Info& info = subject.info();
  const Pacer& pacer = sampler_.pacer();
  const Shape shape = shape_of(point_, subject.site().ranks);
  const auto interval = median_interval(samples_.ns());
  const bool rated = info.bus != Bus::undefined;
  schema::Point record;
  record.index = index_;
  record.point = point_json(asked_, entries_);
  record.members = first_of(party_.members);
  record.member_count = party_.members.size();
  record.groups = party_.groups;
  record.group_ranks = subject.site().ranks;
  record.message_bytes = point_.bytes;
  record.hosts = party_.hosts;
  record.first_call_ns = history_.first_call_ns;
  record.warmup_ns = history_.warmup_ns;
  record.samples_ns = samples_.ns();
  record.ranks_ns = samples_.of_ranks();
  record.ranks_at = samples_.ranks_at();
  record.invalid = samples_.invalid();
  record.repetitions_per_sample = sampler_.block();
  record.divisor = info.divisor;
  record.bytes_moved = subject.configured().bytes_moved(shape);
  record.messages = subject.configured().messages(shape);
  record.algorithm_bytes = where(rated, algorithm_bytes(info, shape));
  record.bus_factor = where(rated, bus_factor(info.bus, shape.ranks));
  record.median_ns = median_of(samples_.ns()) / static_cast<double>(sampler_.block()) / info.divisor;
  record.half_width = where(interval.has_value(), interval ? interval->half_width() : 0);
  record.stopped_by = stopped_by(rule_.reason());
  add_steadiness(record);
  record.validated = info.result != Result::none;
  record.checked_elements = payload_.checked_elements();
  record.window_ns = where(pacer.window_ns() > 0, pacer.window_ns());
  record.lead_ns = where(pacer.lead_ns() > 0 && pacer.window_ns() == 0, pacer.lead_ns());
  record.replaced = starts_.replaced();
  record.skew_ns = samples_.skew(info.family == Family::collective);
  record.phases_ns = samples_.phases();
  record.touch_write_ns = history_.touch.write_ns;
  record.touch_read_ns = history_.touch.read_ns;
  const std::vector<int> grid = subject.configured().grid(shape);
  record.grid = where(!grid.empty(), grid);
  record.new_ranks = where(!new_ranks_.empty(), first_of(new_ranks_));
  const ThreadCpus& cpus = subject.thread_cpus();
  record.threads = where(!cpus.own.empty(), schema::PointThreads{.count = subject.configured().threads(),
                                                                 .cpus = first_of(cpus.ranks),
                                                                 .shared = cpus.shared});
  if (const std::optional<FileFacts> file = subject.file()) {
    record.file = {.system = file->system, .cached_share = where(file->cached_share >= 0, file->cached_share)};
  }
  record.large_type = !info.large && layout_of(point_).contiguous() && exceeds_counts(info, point_, shape.ranks);
  record.elapsed_ns = history_.closed_ns - history_.opened_ns;
  record.finished_unix_ns = unix_now_ns();
  return record;
}

}  // namespace groma
