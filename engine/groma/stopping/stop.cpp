#include "groma/stopping/stop.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "groma/stopping/interval.hpp"
#include "groma/stopping/steady.hpp"
#include "groma/text/words.hpp"

namespace groma {

std::string_view stopped_by(Stopped reason) {
  static constexpr std::string_view names[] = {"", "precision", "repetitions", "slot", "retries"};
  static_assert(std::size(names) == static_cast<std::size_t>(Stopped::retries) + 1);
  return name_in(names, reason);
}

namespace {

/// Standard error of the mean over the mean.
double relative_standard_error(const std::vector<std::int64_t>& samples) {
  const auto n = static_cast<double>(samples.size());
  double mean = 0;
  for (const std::int64_t sample : samples) mean += static_cast<double>(sample) / n;
  double squares = 0;
  for (const std::int64_t sample : samples)
    squares += (static_cast<double>(sample) - mean) * (static_cast<double>(sample) - mean);
  return mean > 0 ? std::sqrt(squares / (n - 1) / n) / mean : 0;
}

/// True if the steady part of the samples is long and narrow enough; series too short to be judged count as steady.
bool precise_and_steady(const Point& point, const std::vector<std::int64_t>& samples) {
  const Steadiness found = judge(samples);
  if (found.state == State::unsteady) return false;
  const std::vector<std::int64_t> steady(samples.begin() + static_cast<std::ptrdiff_t>(found.from), samples.end());
  if (static_cast<std::int64_t>(steady.size()) < point.min_repetitions) return false;
  const auto interval = median_interval(steady);
  return interval && interval->half_width() <= point.precision;
}

bool precise(const Point& point, const std::vector<std::int64_t>& samples, double elapsed_s) {
  if (point.stop == method::Stop::rse) return samples.size() > 1 && relative_standard_error(samples) <= point.rse_limit;
  return point.stop == method::Stop::ci && elapsed_s >= point.span_s && precise_and_steady(point, samples);
}

}  // namespace

Stopped enough(const Point& point, const std::vector<std::int64_t>& samples, std::int64_t invalid, double elapsed_s) {
  const auto drawn = static_cast<std::int64_t>(samples.size());
  // Invalid repetitions are repeated, up to a limit.
  constexpr std::int64_t most_per_sample = 10;
  constexpr std::int64_t always_allowed = 1000;
  if (invalid > most_per_sample * drawn + always_allowed) return Stopped::retries;
  if (point.stop == method::Stop::reps) return drawn >= point.repetitions ? Stopped::repetitions : Stopped::no;
  if (drawn >= point.max_repetitions) return Stopped::repetitions;
  if (drawn >= point.min_repetitions && precise(point, samples, elapsed_s)) return Stopped::precision;
  return elapsed_s >= point.slot_s ? Stopped::slot : Stopped::no;
}

std::int64_t next_batch(const Point& point, std::int64_t drawn, double elapsed_s, double expected_sample_s) {
  if (point.stop == method::Stop::reps) return std::clamp<std::int64_t>(point.repetitions - drawn, 1, longest_batch);
  // By its standard error a series is judged after every min_repetitions, as SKaMPI does.
  const std::int64_t more = point.stop == method::Stop::rse ? point.min_repetitions : drawn / 2;
  const std::int64_t wanted = drawn < point.min_repetitions ? point.min_repetitions - drawn : more;
  const double left_s = std::max(0.0, point.slot_s - elapsed_s);
  const double fitting = expected_sample_s > 0 ? left_s / expected_sample_s : static_cast<double>(longest_batch);
  const auto in_slot = static_cast<std::int64_t>(std::min(fitting, static_cast<double>(longest_batch)));
  return std::clamp<std::int64_t>(std::min({wanted, in_slot, point.max_repetitions - drawn}), 1, longest_batch);
}

}  // namespace groma
