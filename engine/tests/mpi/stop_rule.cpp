// When samples are enough, where calls have slow and fast phases; the first member decides for all.
#include "groma/stopping/stop_rule.hpp"

#include <gtest/gtest.h>

#include <random>

#include "groma/operations/point_to_point.hpp"
#include "groma/plan/fields.hpp"
#include "groma/stopping/interval.hpp"

namespace groma {
namespace {

using Series = std::vector<std::int64_t>;

constexpr std::int64_t block = 24;
constexpr std::int64_t fast_ns = 1000;
constexpr std::int64_t slow_ns = 50'000;

class StopRules : public testing::Test {
 protected:
  Comm world = Comm(MPI_COMM_WORLD).copy();
  Point point = default_point(PingPong::info);
  StopRule rule = StopRule(point, world);

  void SetUp() override {
    point.stop = method::Stop::ci;
    point.min_repetitions = 10;
    point.max_repetitions = 100'000;
    point.precision = 0.02;
    point.slot_s = 0.4;
    point.span_s = 0;
  }
};

Series phases(int slow_blocks, int fast_blocks) {
  std::mt19937_64 random(7);
  Series samples;
  for (int i = 0; i < slow_blocks + fast_blocks; ++i) {
    samples.push_back(block * (i < slow_blocks ? slow_ns : fast_ns) + static_cast<std::int64_t>(random() % 100));
  }
  return samples;
}

TEST_F(StopRules, ASlowStartIsLeftOutOnEveryRank) {
  EXPECT_EQ(rule.judge(phases(161, 100), 0, block), 161U);
  EXPECT_EQ(rule.reason(), Stopped::precision);
}

TEST_F(StopRules, TheSteadyPartAloneMustHoldAsManyCallsAsPhasesAsk) {
  rule.expect({.calls = 100 * block, .spread = 0});
  EXPECT_EQ(rule.judge(phases(161, 99), 0, block), 0U) << "a fast phase at the end, too short to tell";
  EXPECT_FALSE(rule.stopped());
  EXPECT_EQ(rule.judge(phases(161, 100), 0, block), 161U);
  EXPECT_EQ(rule.reason(), Stopped::precision);
}

TEST_F(StopRules, AnEndingWithinAPhaseIsNoSteadyState) {
  rule.expect({.calls = 100 * block, .spread = 0});
  rule.spend(point.slot_s);
  EXPECT_EQ(rule.judge(phases(161, 99), 0, block), 0U);
  EXPECT_EQ(rule.reason(), Stopped::slot);
  if (world.rank() == 0) {
    EXPECT_EQ(rule.found().state, State::unsteady);
  }
}

TEST_F(StopRules, SamplesThatVaryLessThanTheCallsBeforeThemAreOfOnePhase) {
  rule.expect({.calls = 1, .spread = 0.9});
  EXPECT_EQ(rule.judge(phases(0, 100), 0, block), 0U);
  EXPECT_TRUE(rule.stopped());
  if (world.rank() == 0) {
    EXPECT_EQ(rule.found().state, State::unsteady);
  }
}

TEST_F(StopRules, SamplesAreWorthNoMoreThanTheCallsBeforeThemSay) {
  std::mt19937_64 random(7);
  Series samples;
  for (int i = 0; i < 100; ++i) samples.push_back(block * (random() % 10 < 2 ? slow_ns : fast_ns) + i % 3);
  const auto state_with = [&](std::int64_t calls) {
    rule.forget();
    rule.expect({.calls = calls, .spread = 0});
    EXPECT_EQ(rule.judge(samples, 0, block), 0U);
    return rule.found().state;
  };
  const State independent = state_with(1);
  const State in_phases = state_with(100 * block);
  if (world.rank() == 0) {
    EXPECT_EQ(independent, State::steady);
    EXPECT_EQ(in_phases, State::unsteady);
  }
}

/// Calls of one launch with slow phases of 200 calls on the average: true if the samples that follow are taken for a
/// steady state although they are near one of the levels.
bool deceived(StopRule& rule, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  bool slow = false;
  const auto call = [&] {
    if (random() % 200 == 0) slow = !slow;
    return (slow ? 15'000 : 10'000) + static_cast<std::int64_t>(random() % 500);
  };
  Settling settling{.calls_ns = {}, .made = 0, .needed = 6000, .found = {}};
  while (!settling.seen() && settling.made < 30'000) {
    settling.calls_ns.push_back(call());
    if (++settling.made % 3000 == 0) settling.found = judge(settling.calls_ns);
  }
  rule.forget();
  rule.expect(settling.phases(block));
  Series samples;
  std::size_t left_out = 0;
  while (!rule.stopped()) {
    double took_s = 0;
    for (std::int64_t left = rule.next(1000, static_cast<std::int64_t>(samples.size()), 0).count; left > 0; --left) {
      std::int64_t sample = 0;
      for (int i = 0; i < block; ++i) sample += call();
      samples.push_back(sample);
      took_s += 1e-9 * static_cast<double>(sample);
    }
    rule.spend(took_s);
    left_out = rule.judge(samples, 0, block);
  }
  if (!rule.found().settled() || !settling.found.settled()) return false;
  const auto interval = median_interval({samples.begin() + static_cast<std::ptrdiff_t>(left_out), samples.end()});
  return interval && interval->half_width() < 0.05;
}

TEST_F(StopRules, PhasesOfTheMachineAreRarelyTakenForASteadyState) {
  constexpr int launches = 60;
  int wrong = 0;
  for (int k = 0; k < launches; ++k) wrong += deceived(rule, static_cast<std::uint64_t>(k)) ? 1 : 0;
  if (world.rank() == 0) {
    EXPECT_LE(wrong, 3);
  }
}

}  // namespace
}  // namespace groma
