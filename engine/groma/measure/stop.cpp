#include "groma/measure/stop.hpp"

#include <algorithm>

#include "groma/measure/interval.hpp"

namespace groma {

std::string_view stopped_by(Stopped reason) {
  switch (reason) {
    case Stopped::no:
      return "";
    case Stopped::precision:
      return "precision";
    case Stopped::repetitions:
      return "repetitions";
    case Stopped::slot:
      return "slot";
  }
  return "";
}

Stopped enough(const Point& point, const std::vector<std::int64_t>& samples, double elapsed_s) {
  const auto drawn = static_cast<std::int64_t>(samples.size());
  if (point.stop == "reps") return drawn >= point.repetitions ? Stopped::repetitions : Stopped::no;
  if (drawn >= point.max_repetitions) return Stopped::repetitions;
  if (point.stop == "ci" && drawn >= point.min_repetitions) {
    const auto interval = median_interval(samples);
    if (interval && interval->half_width() <= point.precision) return Stopped::precision;
  }
  return elapsed_s >= point.slot_s ? Stopped::slot : Stopped::no;
}

std::int64_t next_batch(const Point& point, std::int64_t drawn, double elapsed_s, double expected_sample_s) {
  if (point.stop == "reps") return std::clamp<std::int64_t>(point.repetitions - drawn, 1, longest_batch);
  const std::int64_t wanted = drawn < point.min_repetitions ? point.min_repetitions - drawn : drawn / 2;
  const double left_s = std::max(0.0, point.slot_s - elapsed_s);
  const double fitting = expected_sample_s > 0 ? left_s / expected_sample_s : static_cast<double>(longest_batch);
  const auto in_slot = static_cast<std::int64_t>(std::min(fitting, static_cast<double>(longest_batch)));
  return std::clamp<std::int64_t>(std::min({wanted, in_slot, point.max_repetitions - drawn}), 1, longest_batch);
}

}  // namespace groma
