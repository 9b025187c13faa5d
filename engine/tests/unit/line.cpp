#include "groma/clock/line.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace groma {
namespace {

constexpr std::int64_t second = 1'000'000'000;

/// Envelopes around the true offset `offset + drift * t`, each edge some noise away from it.
std::vector<Envelope> noisy(double offset_ns, double drift, std::int64_t from_ns, int points, std::mt19937_64& random) {
  std::exponential_distribution<double> delay(1.0 / 500);
  std::vector<Envelope> envelopes;
  for (int i = 0; i < points; ++i) {
    const std::int64_t at = from_ns + i * second / 200;
    const double truth = offset_ns + drift * static_cast<double>(at);
    envelopes.push_back({at, at, truth - 100 - delay(random), truth + 100 + delay(random)});
  }
  return envelopes;
}

TEST(ClockLine, RecoversOffsetAndDriftWithinItsBound) {
  std::mt19937_64 random(3);
  for (const double offset : {0.0, 1e3, -1e11, 1e11}) {
    for (const double drift : {0.0, 1e-6, -5e-5, 5e-5}) {
      const auto envelopes = noisy(offset, drift, 5000 * second, 100, random);
      const ClockLine line = fit_line(envelopes);
      for (const std::int64_t later : {0L, 1L, 10L}) {
        const std::int64_t at = envelopes.back().at_ns() + later * second;
        const double error = static_cast<double>(line.to_global(at) - at) - (offset + drift * static_cast<double>(at));
        const double bound = line_bound_ns(line, envelopes, at);
        EXPECT_LE(std::abs(error), bound + 1) << offset << " " << drift << " after " << later << " s";
        EXPECT_LT(bound, later == 0 ? 1000 : 20'000);
      }
    }
  }
}

TEST(ClockLine, ItsBoundGrowsEverFasterSoThatASecantIsNeverBelowIt) {
  std::mt19937_64 random(5);
  for (const int points : {1, 2, 10, 200, 2000}) {
    const auto envelopes = noisy(1e6, 3e-6, 100 * second, points, random);
    const ClockLine line = fit_line(envelopes);
    const auto bound = [&](double later_s) {
      return line_bound_ns(line, envelopes, envelopes.back().at_ns() + std::llround(1e9 * later_s));
    };
    const double mean_growth = (bound(3600) - bound(0)) / 3600;
    for (const double later_s : {0.1, 1.0, 10.0, 60.0, 600.0}) {
      EXPECT_LE(bound(later_s), bound(0) + mean_growth * later_s + 1) << points << " points, " << later_s << " s";
    }
  }
}

TEST(ClockLine, GoesThereAndBack) {
  const ClockLine line{.slope = 4e-5, .offset_ns = -3e10, .epoch_ns = 77 * second};
  for (const std::int64_t t : {std::int64_t{0}, 77 * second, 1000 * second + 3}) {
    EXPECT_LE(std::abs(line.to_local(line.to_global(t)) - t), 1);
  }
  EXPECT_EQ(ClockLine{}.to_global(5), 5);
  EXPECT_EQ(ClockLine{}.to_local(5), 5);
}

TEST(ClockLine, TwoOneAfterTheOtherAreTheirComposition) {
  const ClockLine inner{.slope = 4e-5, .offset_ns = -3e10, .epoch_ns = 77 * second};
  const ClockLine outer{.slope = -2e-5, .offset_ns = 7e9, .epoch_ns = 5000 * second};
  const ClockLine both = composed(inner, outer);
  for (const std::int64_t t : {std::int64_t{0}, 77 * second, 1000 * second + 3, 1'700'000'000 * second}) {
    EXPECT_LE(std::abs(both.to_global(t) - outer.to_global(inner.to_global(t))), 1) << t;
  }
  for (const ClockLine& same : {composed(inner, ClockLine{}), composed(ClockLine{.epoch_ns = 77 * second}, inner)}) {
    EXPECT_EQ(same.to_global(80 * second), inner.to_global(80 * second));
  }
}

TEST(ClockLine, MirroredReadingsGiveTheMirroredLine) {
  std::mt19937_64 random(5);
  const auto envelopes = noisy(1e6, 2e-5, second, 50, random);
  auto mirrored = envelopes;
  for (Envelope& one : mirrored) {
    std::swap(one.low_ns, one.high_ns);
    one.low_ns = -one.low_ns;
    one.high_ns = -one.high_ns;
  }
  const ClockLine line = fit_line(envelopes);
  const ClockLine mirror = fit_line(mirrored);
  EXPECT_NEAR(line.slope, -mirror.slope, 1e-12);
  EXPECT_NEAR(line.offset_ns, -mirror.offset_ns, 1e-3);
}

TEST(ClockLine, OneReadingGivesAConstantAndItsOwnBound) {
  const std::vector<Envelope> one{{second, second, 900, 1100}};
  const ClockLine line = fit_line(one);
  EXPECT_EQ(line.to_global(second) - second, 1000);
  EXPECT_NEAR(line_bound_ns(line, one, second), 100, 1e-6);
  EXPECT_NEAR(line_bound_ns(line, one, second + 1000), 110, 1e-6) << "of drift it says nothing";
  const ClockLine drifting{.slope = -5e-5, .offset_ns = -1000, .epoch_ns = second};
  EXPECT_NEAR(line_bound_ns(drifting, one, second - 1000), 110.05, 1e-6);
}

TEST(ClockLine, PingsThatWereHeldUpHardlyMoveIt) {
  std::mt19937_64 random(7);
  auto envelopes = noisy(1e6, 2e-5, second, 50, random);
  const ClockLine undisturbed = fit_line(envelopes);
  for (const std::size_t held_up : {3U, 41U}) {
    envelopes[held_up].low_ns -= 5e6;
    envelopes[held_up].low_at_ns += 5'000'000;
  }
  const ClockLine line = fit_line(envelopes);
  EXPECT_NEAR(line.correction_ns(second), undisturbed.correction_ns(second), 50);
  EXPECT_NEAR(line.slope, undisturbed.slope, 1e-7);
}

/// If the machine changes its pace in the middle of the pings, slower ones lean to one side.
TEST(ClockLine, SlowerPingsThatLeanToOneSideDoNotTiltIt) {
  constexpr double drift = 3e-6;
  std::vector<Envelope> envelopes;
  for (int i = 0; i < 100; ++i) {
    const std::int64_t at = second + i * second / 100;
    const double truth = drift * static_cast<double>(at);
    const double delay = (i > 60 ? 120 : 0) + 3 * (i % 4);
    envelopes.push_back({at, at, truth - 500 - delay, truth + 500});
  }
  EXPECT_NEAR(fit_line(envelopes).slope, -drift, 20e-9) << "with equal weights it is off by 85e-9";
}

TEST(ClockLine, FollowsAClockWhoseDriftChangesSlowly) {
  std::vector<Envelope> envelopes;
  double truth = 0;
  for (int i = 0; i < 300; ++i) {
    const double drift = 1e-6 + 1e-9 * i;  // by 1e-9 a second
    truth += drift * 1e9;
    envelopes.push_back({i * second, i * second, truth - 1000, truth + 1000});
  }
  const ClockLine line = fit_line(envelopes);
  EXPECT_NEAR(line.correction_ns(299 * second), -truth, 150) << "with equal weights it is off by 7 us";
  EXPECT_NEAR(line.slope, -1.3e-6, 0.05e-6);
}

TEST(ClockLine, ABentClockIsNotPassedOffAsALine) {
  std::vector<Envelope> bent;
  for (int i = 0; i < 10; ++i) {
    const double truth = i < 5 ? 0 : 10'000;
    bent.push_back({i * second, i * second, truth - 10, truth + 10});
  }
  EXPECT_GT(line_bound_ns(fit_line(bent), bent, 9 * second), 2000);
  EXPECT_FALSE(on_one_line(bent));
  EXPECT_TRUE(on_one_line({bent.begin(), bent.begin() + 5}));
  EXPECT_TRUE(on_one_line({bent.begin() + 4, bent.begin() + 6})) << "two envelopes are always on one";
}

TEST(Envelope, HoldsWhenPingsAreHeldUpWhileClocksDrift) {
  std::mt19937_64 random(11);
  std::exponential_distribution<double> delay(1.0 / 5e6);  // 5 ms: the other process does not get a processor
  constexpr double drift = 50e-6;
  for (int series = 0; series < 200; ++series) {
    std::vector<RoundTrip> trips;
    double t = 0;
    for (int i = 0; i < 10; ++i) {
      const double read = t + 200 + delay(random);
      const double back = read + 200 + delay(random);
      trips.push_back({std::llround(t), std::llround(1000 + read + drift * read), std::llround(back)});
      t = back;
    }
    const Envelope envelope = envelope_of(trips);
    EXPECT_LE(envelope.low_ns, 1000 + drift * static_cast<double>(envelope.low_at_ns) + 1);
    EXPECT_GE(envelope.high_ns, 1000 + drift * static_cast<double>(envelope.high_at_ns) - 1);
  }
}

}  // namespace
}  // namespace groma
