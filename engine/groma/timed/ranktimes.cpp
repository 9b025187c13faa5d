#include "groma/timed/ranktimes.hpp"

#include <algorithm>
#include <limits>

namespace groma {
namespace {

using Values = std::vector<std::int64_t>;

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

void reduce_in_place(const Comm& comm, Values& values, MPI_Op operation) {
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT64_T, operation, comm.get());
}

/// The longest, shortest or mean duration over the ranks whose stamps count, or the root's own.
Values durations(const Comm& control, const Info& info, const Point& point, const Timing& timing,
                 const RankTimes& times, const std::vector<int>& roots) {
  const bool only_first = info.timers == Timers::first;
  const std::int64_t neutral = point.reduce == method::Reduce::mean  ? 0
                               : point.reduce == method::Reduce::min ? highest
                                                                     : lowest;
  Values values(times.enter.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool counts = point.reduce == method::Reduce::root ? timing.rank == (info.rooted ? roots[i] : 0)
                                                             : !only_first || timing.first;
    values[i] = counts ? times.leave[i] - times.enter[i] : neutral;
  }
  reduce_in_place(control, values,
                  point.reduce == method::Reduce::mean  ? MPI_SUM
                  : point.reduce == method::Reduce::min ? MPI_MIN
                                                        : MPI_MAX);
  if (point.reduce == method::Reduce::mean) {
    const std::int64_t firsts = info.parties == Parties::pairs ? control.size() / 2 : timing.groups;
    const std::int64_t timers = only_first ? firsts : control.size();
    for (std::int64_t& value : values) value = (value + timers / 2) / timers;
  }
  return values;
}

}  // namespace

Values of_slowest(const Comm& control, Values parts, std::size_t width) {
  Values longest(parts.size() / width);
  for (std::size_t i = 0; i < parts.size(); ++i) longest[i / width] += parts[i];
  const Values own = longest;
  reduce_in_place(control, longest, MPI_MAX);
  Values ranks(own.size());
  for (std::size_t i = 0; i < own.size(); ++i) ranks[i] = own[i] == longest[i] ? control.rank() : highest;
  reduce_in_place(control, ranks, MPI_MIN);
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i] *= ranks[i / width] == control.rank();
  reduce_in_place(control, parts, MPI_SUM);
  return parts;
}

std::vector<FiveNumbers> over_ranks(const Comm& comm, const Values& values) {
  const std::size_t n = values.size();
  constexpr int rounds = 16;
  Values low = values;
  Values high = values;
  reduce_in_place(comm, low, MPI_MIN);
  reduce_in_place(comm, high, MPI_MAX);
  // Three searches side by side: the quartiles of value i stand at 3i, 3i + 1 and 3i + 2.
  Values from(3 * n);
  Values to(3 * n);
  for (std::size_t k = 0; k < 3 * n; ++k) {
    from[k] = low[k / 3];
    to[k] = high[k / 3];
  }
  const int ranks = comm.size();
  for (int round = 0; round < rounds; ++round) {
    Values below(3 * n);
    for (std::size_t k = 0; k < 3 * n; ++k) below[k] = values[k / 3] <= from[k] + (to[k] - from[k]) / 2 ? 1 : 0;
    reduce_in_place(comm, below, MPI_SUM);
    for (std::size_t k = 0; k < 3 * n; ++k) {
      const auto quarter = static_cast<std::int64_t>(k % 3 + 1);
      const std::int64_t middle = from[k] + (to[k] - from[k]) / 2;
      if (4 * below[k] >= quarter * ranks) {
        to[k] = middle;
      } else {
        from[k] = middle + 1;
      }
    }
  }
  std::vector<FiveNumbers> numbers(n);
  for (std::size_t i = 0; i < n; ++i) numbers[i] = {low[i], to[3 * i], to[3 * i + 1], to[3 * i + 2], high[i]};
  return numbers;
}

FiveNumbers five_numbers(Values values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto at = [&](std::size_t quarter) {
    return values[(quarter * values.size() + 3) / 4 - (quarter > 0 ? 1 : 0)];
  };
  return {values.front(), at(1), at(2), at(3), values.back()};
}

namespace {

/// One reduction over all ranks for every maximum of each repetition.
class Extremes {
 public:
  Extremes(const Comm& control, const RankTimes& times) : n_(times.enter.size()), packed_(5 * n_) {
    for (std::size_t i = 0; i < n_; ++i) {
      packed_[i] = times.late[i];
      packed_[n_ + i] = -times.enter[i];
      packed_[2 * n_ + i] = times.enter[i];
      packed_[3 * n_ + i] = times.leave[i];
      packed_[4 * n_ + i] = times.leave[i] - times.enter[i];
    }
    reduce_in_place(control, packed_, MPI_MAX);
  }
  [[nodiscard]] std::int64_t late(std::size_t i) const { return packed_[i]; }
  [[nodiscard]] std::int64_t first_enter(std::size_t i) const { return -packed_[n_ + i]; }
  [[nodiscard]] std::int64_t last_enter(std::size_t i) const { return packed_[2 * n_ + i]; }
  [[nodiscard]] std::int64_t last_leave(std::size_t i) const { return packed_[3 * n_ + i]; }
  [[nodiscard]] std::int64_t longest(std::size_t i) const { return packed_[4 * n_ + i]; }

 private:
  std::size_t n_;
  Values packed_;
};

}  // namespace

Reduced reduce_ranks(const Comm& control, const Info& info, const Point& point, const Timing& timing,
                     const RankTimes& times, const std::vector<int>& roots, bool global) {
  const Extremes all(control, times);
  const bool spans = point.reduce == method::Reduce::span || point.reduce == method::Reduce::post_arrival;
  const Values own = spans ? Values() : durations(control, info, point, timing, times, roots);
  Reduced reduced;
  for (std::size_t i = 0; i < times.enter.size(); ++i) {
    if (all.late(i) > 0) {
      ++reduced.invalid;
      reduced.late.push_back(all.late(i));
      continue;
    }
    reduced.valid.push_back(i);
    const std::int64_t span = all.last_leave(i) - all.first_enter(i);
    const std::int64_t skew = all.last_enter(i) - all.first_enter(i);
    reduced.own.push_back(times.leave[i] - times.enter[i]);
    reduced.samples.push_back(point.reduce == method::Reduce::span ? span : spans ? span - skew : own[i]);
    if (!global) continue;
    reduced.arrival_skew.push_back(skew);
    reduced.own_completion.push_back(times.leave[i] - all.first_enter(i));
    reduced.excess_ns = std::max({reduced.excess_ns, all.longest(i) - span, span - all.longest(i) - skew});
  }
  return reduced;
}

}  // namespace groma
