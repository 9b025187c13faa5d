// The global clock against offsets and drifts that are planted behind `now()`: ranks of one host stand for hosts.
#include <gtest/gtest.h>

#include <cmath>

#include "groma/clock/clocks.hpp"
#include "groma/clock/global.hpp"

namespace groma {
namespace {

constexpr ClockEffort quick{.pings = 5, .fit_points = 20, .span_s = 0.04};

class PlantedClocks : public testing::Test {
 protected:
  Comm world = Comm(MPI_COMM_WORLD).copy();
  Comm alone = Comm(MPI_COMM_SELF).copy();
  std::int64_t origin = shared_origin();

  std::int64_t shared_origin() {
    std::int64_t now = Monotonic::now();
    MPI_Bcast(&now, 1, MPI_INT64_T, 0, world.get());
    return now;
  }

  /// This rank's planted clock: up to 100 s off, up to 50 ppm fast or slow; rank 0 tells the truth.
  LocalNow planted() {
    const int rank = world.rank();
    const double offset = rank == 0 ? 0 : (rank % 2 == 0 ? 1e11 : -1e11) / rank;
    const double drift = rank == 0 ? 0 : 50e-6 * std::sin(rank);
    return [this, offset, drift] {
      const std::int64_t now = Monotonic::now();
      return now + std::llround(offset + drift * static_cast<double>(now - origin));
    };
  }
};

TEST_F(PlantedClocks, AreFoundWithinTheReportedBound) {
  for (const ClockSync method : {ClockSync::hca3, ClockSync::jk}) {
    const LocalNow now = planted();
    const GlobalClock clock = GlobalClock::synchronise(method, now, world, alone, quick);
    // One counter behind all planted clocks: the true global time is the counter itself.
    const std::int64_t before = Monotonic::now();
    const std::int64_t local = now();
    const std::int64_t after = Monotonic::now();
    const double error = static_cast<double>(clock.to_global(local) - before);
    const double reading = static_cast<double>(after - before);
    const double bound = clock.bound_ns(local);
    EXPECT_GE(error, -bound - 1) << "rank " << world.rank() << " of " << world.size();
    EXPECT_LE(error, bound + reading + 1) << "rank " << world.rank() << " of " << world.size();
    EXPECT_TRUE(std::isfinite(bound));
    const double left = clock.check_ns(now, world, 10);
    EXPECT_GE(left, 0);
  }
}

TEST_F(PlantedClocks, ASingleOffsetIsRightWhereNothingDrifts) {
  const double offset = 1e9 * world.rank();
  const LocalNow now = [offset] { return Monotonic::now() + std::llround(offset); };
  const GlobalClock clock = GlobalClock::synchronise(ClockSync::offset_only, now, world, alone, quick);
  const std::int64_t before = Monotonic::now();
  const std::int64_t global = clock.to_global(now());
  const std::int64_t after = Monotonic::now();
  const double bound = clock.bound_ns(now());
  EXPECT_GE(static_cast<double>(global - before), -bound - 1);
  EXPECT_LE(static_cast<double>(global - after), bound + 1);
}

TEST_F(PlantedClocks, MessagesGrowWithTheLogarithmOfTheRanks) {
  const GlobalClock clock = GlobalClock::synchronise(ClockSync::hca3, planted(), world, alone, quick);
  const auto one_fit = static_cast<std::int64_t>(quick.fit_points) * quick.pings + 1;
  EXPECT_LE(clock.messages_sent(), one_fit * (2 + static_cast<std::int64_t>(std::log2(world.size()))));
}

TEST_F(PlantedClocks, RanksOfOneHostShareTheLeadersLine) {
  const Comm node = world.node();
  const Comm leaders = node.rank() == 0 ? alone.copy() : Comm();
  const GlobalClock clock = GlobalClock::synchronise(ClockSync::hca3, &Monotonic::now, leaders, node, quick);
  EXPECT_EQ(clock.line().slope, 0);
  EXPECT_EQ(clock.line().offset_ns, 0);
  EXPECT_EQ(clock.bound_ns(Monotonic::now()), 0);
  EXPECT_TRUE(shares_counter(&Monotonic::now, node));
  EXPECT_GT(clock.check_ns(&Monotonic::now, node, 10), world.size() > 1 ? 0 : -1);
}

TEST_F(PlantedClocks, AreNotTakenForOneCounter) { EXPECT_EQ(shares_counter(planted(), world), world.size() == 1); }

}  // namespace
}  // namespace groma
