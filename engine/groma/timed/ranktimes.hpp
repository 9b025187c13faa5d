// From the stamps of every rank to one time a repetition, and to how far apart the ranks were.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "groma/info.hpp"
#include "groma/mpi/handles.hpp"
#include "groma/plan/point.hpp"

namespace groma {

/// Entry and exit of one rank, repetition by repetition, in ns; global where the point has a global clock.
struct RankTimes {
  std::vector<std::int64_t> enter;
  std::vector<std::int64_t> leave;
  std::vector<std::int64_t> late;  ///< by how much this rank was late or overran, in ns: 0 if it did not
};

/// Where a rank stands among those whose stamps may count.
struct Timing {
  int rank = 0;       ///< in its own group, where roots are counted
  bool first = true;  ///< of its pair, or of its group
  int groups = 1;
};

/// Minimum, quartiles and maximum.
using FiveNumbers = std::array<std::int64_t, 5>;

/// One batch over all ranks; the same on every member.
struct Reduced {
  std::vector<std::int64_t> samples;  ///< of the valid repetitions, in order
  std::vector<std::int64_t> own;      ///< this rank's exit - entry, by valid repetition
  std::vector<std::size_t> valid;     ///< which repetitions they are of
  std::int64_t invalid = 0;           ///< repetitions that were dropped
  std::vector<std::int64_t> late;     ///< by how much the last rank was late or overran in each of these, in ns
  std::vector<std::int64_t>
      arrival_skew;                  ///< last entry - first entry, by valid repetition; empty without a global clock
  std::int64_t excess_ns = 0;        ///< largest violation of max <= span <= max + arrival skew
  std::vector<std::int64_t> phases;  ///< parts of the samples, as one rank's operation timed them
  std::vector<std::int64_t> own_completion;  ///< this rank's exit - first entry, by valid repetition, as arrival_skew
};

/// Collective over `control`. `roots` holds the root of each repetition; `global` says whether times of different ranks
/// can be compared.
Reduced reduce_ranks(const Comm& control, const Info& info, const Point& point, const Timing& timing,
                     const RankTimes& times, const std::vector<int>& roots, bool global);

/// Of each repetition the parts of the rank on which all `width` of them took longest together, the first of equals.
/// `parts` has this rank's, repetition by repetition. Collective.
std::vector<std::int64_t> of_slowest(const Comm& control, std::vector<std::int64_t> parts, std::size_t width);

/// Minimum, quartiles and maximum over the ranks of each value, by bisection: memory and messages do not grow with the
/// ranks. Quartiles are upper order statistics, to 1/65536 of the range. On every rank. Collective.
std::vector<FiveNumbers> over_ranks(const Comm& comm, const std::vector<std::int64_t>& values);

/// The same of values that one rank holds.
FiveNumbers five_numbers(std::vector<std::int64_t> values);

}  // namespace groma
