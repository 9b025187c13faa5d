// A simulation study: series whose truth is known, and what is said of them.
#include "groma/stopping/steady.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "groma/stopping/interval.hpp"
#include "groma/stopping/settle.hpp"

namespace groma {
namespace {

using Series = std::vector<std::int64_t>;
using Random = std::mt19937_64;
/// Time of call i in units of a fast call's 10000; keeps state from call to call.
using Source = std::function<double(Random&, int)>;

constexpr double base = 10000;
constexpr int series_each = 100;

double normal(Random& random) { return std::normal_distribution<double>()(random); }
bool chance(Random& random, double share) { return std::bernoulli_distribution(share)(random); }

Series draw(const Source& source, int count, Random& random) {
  Series values;
  for (int i = 0; i < count; ++i) values.push_back(std::llround(base * source(random, i)));
  return values;
}

Source autoregressive(double rho, double deviation) {
  return [=, state = 0.0](Random& random, int) mutable {
    state = rho * state + std::sqrt(1 - rho * rho) * normal(random);
    return std::exp(deviation * state);
  };
}

Source slow_start(int calls) {
  return [=](Random& random, int i) { return (i < calls ? 50 : 1) + 0.02 * normal(random); };
}

Source telegraph(double factor, double dwell) {
  return [=, slow = false](Random& random, int) mutable {
    if (chance(random, 1 / dwell)) slow = !slow;
    return (slow ? factor : 1) + 0.005 * normal(random);
  };
}

Source one_in_ten() {
  return [](Random& random, int) { return (chance(random, 0.1) ? 20 : 1) + 0.005 * normal(random); };
}

Source drift(double share, int calls) {
  return [=](Random& random, int i) { return 1 + share * i / calls + 0.02 * normal(random); };
}

struct Outcome {
  int reached = 0;
  int of_state[5] = {};
  int right = 0;    ///< steady part's median within the tolerance of the truth, of those reached
  int covered = 0;  ///< by the interval, of those reached
  int claimed = 0;  ///< reached, and an interval of 5 % or less
};

Outcome study(const std::function<Source()>& make, int count, double truth, double tolerance = 0.02) {
  Random random(7);
  Outcome outcome;
  for (int k = 0; k < series_each; ++k) {
    const Series values = draw(make(), count, random);
    const Steadiness found = judge(values);
    ++outcome.of_state[static_cast<int>(found.state)];
    if (!found.reached()) continue;
    ++outcome.reached;
    const Series steady(values.begin() + static_cast<std::ptrdiff_t>(found.from), values.end());
    const auto interval = median_interval(steady);
    if (std::abs(median_of(steady) / base / truth - 1) <= tolerance) ++outcome.right;
    if (!interval) continue;
    if (interval->half_width() <= 0.05) ++outcome.claimed;
    if (interval->low <= base * truth && base * truth <= interval->high) ++outcome.covered;
  }
  return outcome;
}

TEST(Steady, SlowStartsAreLeftOut) {
  for (const int slow : {50, 500, 5000}) {
    for (const int count : {slow + 200, 2 * slow + 100, 8 * slow}) {
      const Outcome outcome = study([=] { return slow_start(slow); }, count, 1);
      EXPECT_GE(outcome.of_state[static_cast<int>(State::warmup)] + outcome.of_state[static_cast<int>(State::unsteady)],
                99)
          << slow << " of " << count;
      EXPECT_GE(outcome.right, outcome.reached - 1) << slow << " of " << count;
    }
  }
}

TEST(Steady, SeriesWithoutChangeAreSteadyAndTheirIntervalsCover) {
  const auto steady = static_cast<int>(State::steady);
  for (const double rho : {0.0, 0.5, 0.8, 0.95}) {
    for (const double deviation : {0.01, 0.1}) {
      const Outcome outcome = study([=] { return autoregressive(rho, deviation); }, 2000, 1);
      EXPECT_GE(outcome.of_state[steady], 95) << rho << " " << deviation;
      EXPECT_GE(outcome.covered, 0.9 * outcome.reached) << rho << " " << deviation;
    }
  }
}

TEST(Steady, OutliersAndTwoStatesCallByCallAreNoPhases) {
  const auto steady = static_cast<int>(State::steady);
  for (const int count : {50, 500, 5000}) {
    EXPECT_GE(study([] { return one_in_ten(); }, count, 1).of_state[steady], 98) << count;
    const auto alternating = [] {
      return [](Random& random, int i) { return (i % 2 == 0 ? 1.0 : 1.2) + 0.005 * normal(random); };
    };
    const Outcome outcome = study(alternating, count, 1.1);
    EXPECT_GE(outcome.of_state[steady], 98) << count;
    EXPECT_EQ(outcome.claimed, 0) << "an interval that is as wide as the two states are apart";
  }
}

TEST(Steady, LongPhasesAreTold) {
  for (const int count : {2000, 5000}) {
    const Outcome outcome = study([] { return telegraph(1.2, 200); }, count, 1.1);
    EXPECT_LE(outcome.claimed, 10) << count;
  }
}

TEST(Steady, ManyShortPhasesGiveAnIntervalThatHoldsThem) {
  // Three quarters of the calls are slow: their median is where a third of the slow ones lie below.
  const auto make = [] {
    return Source([slow = true](Random& random, int) mutable {
      if (chance(random, slow ? 1 / 60.0 : 1 / 20.0)) slow = !slow;
      return (slow ? 1.2 : 1.0) + 0.005 * normal(random);
    });
  };
  const Outcome outcome = study(make, 5000, 1.2 - 0.4307 * 0.005);
  EXPECT_GE(outcome.covered + series_each - outcome.reached, 90);
}

TEST(Steady, AStepIsASlowdownAndItsFigureTheLaterLevel) {
  for (const double factor : {1.05, 1.5, 50.0}) {
    const auto make = [=] {
      return Source([=](Random& random, int i) { return (i < 1000 ? 1 : factor) + 0.02 * normal(random); });
    };
    const Outcome outcome = study(make, 2000, factor);
    EXPECT_GE(outcome.of_state[static_cast<int>(State::slowdown)], 98) << factor;
    EXPECT_EQ(outcome.right, outcome.reached) << factor;
  }
}

TEST(Steady, DriftsAreNeverSteady) {
  for (const double share : {0.1, 0.3, 1.0, -0.3}) {
    const Outcome outcome = study([=] { return drift(share, 2000); }, 2000, 1 + share, 0.03);
    EXPECT_EQ(outcome.of_state[static_cast<int>(State::steady)], 0) << share;
    EXPECT_EQ(outcome.right, outcome.reached) << share << ": the level at the end, within 3 %";
  }
}

TEST(Steady, OneInterruptionIsNoOtherState) {
  const auto make = [] {
    return Source([](Random& random, int i) { return (i >= 700 && i < 750 ? 3 : 1) + 0.02 * normal(random); });
  };
  EXPECT_GE(study(make, 1000, 1).of_state[static_cast<int>(State::steady)], 95);
}

TEST(Steady, FewOrEqualValuesAreNotTurnedIntoFindings) {
  EXPECT_EQ(judge(Series(fewest_judged - 1, 5)).state, State::unknown);
  EXPECT_EQ(judge(Series(fewest_judged, 5)).state, State::steady);
  EXPECT_EQ(judge(Series(1, 5)).segments.size(), 0U);
}

TEST(Steady, ALevelThatWasReachedFromFasterValuesIsNotSettled) {
  const auto found = [](State state) { return Steadiness{.state = state, .from = 0, .segments = {}}; };
  EXPECT_TRUE(found(State::steady).settled());
  EXPECT_TRUE(found(State::warmup).settled());
  EXPECT_FALSE(found(State::slowdown).settled());
  EXPECT_TRUE(found(State::slowdown).reached());
  EXPECT_FALSE(found(State::unsteady).reached());
  EXPECT_FALSE(found(State::unknown).settled());
}

TEST(Steady, PhasesLeaveTheMedianOpenAndNoiseDoesNot) {
  const auto open = [](const std::function<Source()>& make, int count) {
    Random random(7);
    int found = 0;
    for (int k = 0; k < series_each; ++k) found += open_by_phases(draw(make(), count, random)) ? 1 : 0;
    return found;
  };
  EXPECT_GE(open([] { return telegraph(1.2, 50); }, 2000), 90);
  EXPECT_GE(open([] { return telegraph(50, 50); }, 2000), 90);
  EXPECT_EQ(open([] { return one_in_ten(); }, 500), 0) << "single calls";
  EXPECT_EQ(open([] { return autoregressive(0, 0.5); }, 60), 0) << "wide, but of independent values";
  EXPECT_EQ(open([] { return autoregressive(0.8, 0.1); }, 2000), 0) << "narrow enough";
  EXPECT_FALSE(open_by_phases(Series(fewest_judged - 1, 5)));
}

TEST(Settle, CallsNeededFallWithWhatACallSends) {
  Point point;
  point.cache = method::Cache::warm;
  EXPECT_GT(calls_to_see(point, {.messages = 2, .bytes = 16, .ranks = 2}), longest_slow_start);
  EXPECT_GT(64 / 2 * calls_to_see(point, {.messages = 64, .bytes = 512, .ranks = 2}), longest_slow_start);
  EXPECT_EQ(calls_to_see(point, {.messages = 2, .bytes = 1 << 20, .ranks = 2}), 64);
  point.cache = method::Cache::sweep;
  EXPECT_EQ(calls_to_see(point, {.messages = 2, .bytes = 16, .ranks = 2}), 50);
}

TEST(Settle, TheMedianOfBlocksIsTheMeanOfCallsWithARecurringTail) {
  Random random(3);
  const Series calls = draw(one_in_ten(), 6000, random);
  const std::int64_t length = calls_for_mean(calls);
  Series blocks;
  for (int k = 0; k < 500; ++k) {
    std::int64_t block = 0;
    for (const std::int64_t call : draw(one_in_ten(), static_cast<int>(length), random)) block += call;
    blocks.push_back(block);
  }
  const double truth = base * (0.9 + 0.1 * 20);
  EXPECT_NEAR(median_of(blocks) / static_cast<double>(length), truth, 0.03 * truth);
  EXPECT_NEAR(slow_share(calls), 0.1, 0.02);
}

TEST(Settle, RareInterruptionsDoNotLengthenBlocks) {
  Random random(3);
  Series calls = draw(autoregressive(0, 0.05), 6000, random);
  EXPECT_LE(calls_for_mean(calls), 5);
  for (std::size_t i = 0; i < 5; ++i) calls[1000 * i] = 100'000'000;
  EXPECT_LE(calls_for_mean(calls), 5);
}

TEST(Steady, ALevelThatCameAndWentBeforeIsNotReachedByWarmingUp) {
  const auto warmups = [](const std::function<Source()>& make, int count) {
    return study(make, count, 1).of_state[static_cast<int>(State::warmup)];
  };
  const auto mixed = [] {
    return [slow = false](Random& random, int i) mutable {
      if (chance(random, 1.0 / 50)) slow = !slow;
      return (i < 3000 && slow ? 50 : 1) + 0.005 * normal(random);
    };
  };
  EXPECT_LE(warmups(mixed, 4500), 5);
  const auto shifted = [] {
    return [](Random& random, int i) { return (i < 2000 ? 1.07 : 1) + 0.1 * normal(random); };
  };
  EXPECT_GE(warmups(shifted, 6000), 90) << "noise mixes two levels too";
}

TEST(Settling, SamplesMustHoldAsManyCallsAsPhasesAsk) {
  Settling calls{.calls_ns = {}, .made = 6000, .needed = 6000, .found = {}};
  for (int i = 0; i < 6000; ++i)
    calls.calls_ns.push_back((i / 200) % 2 == 0 ? 1000 + i * 37 % 600 : 50'000 + i * 37 % 600);
  EXPECT_GE(calls.phases(1).calls, 600) << "three phases of 200 calls at least";
  EXPECT_LE(calls.phases(1).calls, 3000) << "no more than half of the calls tell";
  EXPECT_GT(calls.phases(20).spread, 0.9) << "a block of 20 calls lies in one phase";
  EXPECT_EQ(calls.phases(1000).spread, 0) << "too few blocks to tell";
  for (std::size_t i = 0; i < calls.calls_ns.size(); ++i) calls.calls_ns[i] = 1000 + static_cast<int>(i % 7);
  EXPECT_EQ(calls.phases(1).calls, 1) << "one level";
  EXPECT_EQ(calls.phases(1).spread, 0) << "one level";
}

}  // namespace
}  // namespace groma
