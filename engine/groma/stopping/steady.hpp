// Whether a series of times is in a steady state, and from where on: change points, then a classification of the
// segments between them as in Barrett et al., "Virtual machine warmup blows hot and cold" (OOPSLA 2017).
//
// Change points: the optimal partition (Jackson et al. 2005) of the series of ranks (cost of a segment as in
// Lung-Yut-Fong, Levy-Leduc and Cappe 2015) under a penalty that grows with the logarithm of the length. Ranks, because
// one call in ten that takes twenty times as long is no change of state. Autocorrelated noise looks like many small
// steps: the noise that a step must exceed is inflated by the autocorrelation, estimated from differences, which steps
// hardly touch (Chakar et al. 2017).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace groma {

enum class State {
  unknown,   ///< too few values to say
  steady,    ///< one level from the first value on
  warmup,    ///< a level that was reached from slower values
  slowdown,  ///< a level that was reached from faster values
  unsteady,  ///< no level lasts to the end for a quarter of the series
};
std::string_view state_name(State state);

/// Levels closer than this are one: the accuracy that a figure is asked for.
inline constexpr double same_level = 0.015;
/// Half-width of an interval, relative to the median, that slow variation may leave.
inline constexpr double widest_of_phases = 0.05;
/// Fewest values that are judged.
inline constexpr std::size_t fewest_judged = 40;

struct Segment {
  std::size_t from = 0;  ///< index of its first value
  double median = 0;
};

struct Steadiness {
  State state = State::unknown;
  std::size_t from = 0;  ///< index of the first value of the steady part; 0 if there is none
  std::vector<Segment> segments;
  [[nodiscard]] bool reached() const { return settled() || state == State::slowdown; }
  /// True if the level was the only one, or came after slower values. A faster one before it may come again.
  [[nodiscard]] bool settled() const { return state == State::steady || state == State::warmup; }
};

/// Judges values in time order.
Steadiness judge(std::span<const std::int64_t> values);

/// To either side of a half, in standard deviations: 99 % of the shares of values that lie below the true median.
inline constexpr double usual_deviations = 2.58;

/// True if values that follow each other leave their median open: its interval of `deviations` is wider
/// than `widest_of_phases`, because levels come and go. Of two such levels one alone may fill the 95 % interval. What
/// is known to vary more slowly than the values show has `least_inflation`, times the variance of independent values.
bool open_by_phases(std::span<const std::int64_t> values, double deviations = usual_deviations,
                    double least_inflation = 1);

}  // namespace groma
