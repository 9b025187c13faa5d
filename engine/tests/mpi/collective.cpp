#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

#include "groma/clock/clocks.hpp"
#include "groma/machine/bounce.hpp"
#include "groma/machine/cpus.hpp"
#include "groma/machine/host.hpp"
#include "groma/machine/line_gauge.hpp"
#include "groma/machine/placement.hpp"
#include "groma/machine/shared_memory.hpp"
#include "groma/mpi/asleep.hpp"
#include "groma/mpi/texts.hpp"
#include "groma/mpi/together.hpp"
#include "groma/sync/sync.hpp"

namespace groma {
namespace {

class World : public testing::Test {
 protected:
  Comm world = Comm(MPI_COMM_WORLD).copy();
};

TEST_F(World, ErrorsOfOneRankReachAll) {
  const int guilty = world.size() - 1;
  const auto fail = [&] {
    together(world, [&] {
      if (world.rank() == guilty) throw InputError("rank " + std::to_string(guilty) + " objects");
    });
  };
  try {
    fail();
    FAIL() << "nobody objected";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()), "rank " + std::to_string(guilty) + " objects");
  }
  EXPECT_NO_THROW(together(world, [] {}));
  EXPECT_THROW(together(world, [] { throw OutputError("full"); }), OutputError);
}

TEST_F(World, TextsArriveInOrderOfRanks) {
  const auto of = [](int rank) { return std::string(static_cast<std::size_t>(rank), static_cast<char>('a' + rank)); };
  const auto all = gather_texts(world, of(world.rank()));
  if (world.rank() == 0) {
    ASSERT_EQ(all.size(), static_cast<std::size_t>(world.size()));
    for (int rank = 0; rank < world.size(); ++rank) EXPECT_EQ(all[static_cast<std::size_t>(rank)], of(rank));
  } else {
    EXPECT_TRUE(all.empty());
  }
  EXPECT_EQ(broadcast_text(world, world.rank() == 0 ? "news" : "", 0), "news");
}

TEST_F(World, PartiesKeepTheOrderAsked) {
  std::vector<int> backwards;
  for (int rank = world.size() - 1; rank >= 0; rank -= 2) backwards.push_back(rank);
  const Comm party = world.only(backwards);
  const auto place = std::find(backwards.begin(), backwards.end(), world.rank());
  ASSERT_EQ(party.null(), place == backwards.end());
  if (party.null()) return;
  EXPECT_EQ(party.rank(), place - backwards.begin());
}

// The earliest exit must not precede the latest entry, whoever is late. One clock: all ranks share a
// host.
TEST_F(World, NobodyLeavesASynchronisationBeforeTheLastHasEntered) {
  const Meeting meeting{world.get(), world.rank(), world.size()};
  for (const auto wait : {&Dissemination::wait<Monotonic>, &LibraryBarrier::wait<Monotonic>}) {
    for (int late = 0; late < world.size(); ++late) {
      if (world.rank() == late) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      std::int64_t entry = Monotonic::now();
      wait(meeting, 0);
      std::int64_t exit = Monotonic::now();
      MPI_Allreduce(MPI_IN_PLACE, &entry, 1, MPI_INT64_T, MPI_MAX, world.get());
      MPI_Allreduce(MPI_IN_PLACE, &exit, 1, MPI_INT64_T, MPI_MIN, world.get());
      EXPECT_GE(exit, entry) << "rank " << late << " was late";
    }
  }
}

TEST_F(World, WaitingAsleepEndsWhenAllHaveCome) {
  if (world.rank() == world.size() - 1) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(world.get(), &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    wait_asleep(world.get());
  }
  int arrived = 1;
  MPI_Allreduce(MPI_IN_PLACE, &arrived, 1, MPI_INT, MPI_SUM, world.get());
  EXPECT_EQ(arrived, world.size());
}

TEST_F(World, PlacementNamesEveryRankOnce) {
  const Comm node = ranks_of_host(world);
  const Placement placement = measure_placement(world, node);
  EXPECT_EQ(placement.node_of_rank.size(), static_cast<std::size_t>(world.size()));
  if (world.rank() != 0) return;
  const auto document = nlohmann::json::parse(placement.document);
  int ranks = 0;
  for (const auto& one : document["nodes"]) ranks += one["ranks"].get<int>();
  EXPECT_EQ(ranks, world.size());
  ASSERT_EQ(document["ranks"].size(), static_cast<std::size_t>(world.size()));
  for (int rank = 0; rank < world.size(); ++rank) {
    const auto& row = document["ranks"][static_cast<std::size_t>(rank)];
    EXPECT_EQ(row["rank"], rank);
    EXPECT_FALSE(row["allowed_cpus"].get<std::string>().empty());
  }
}

TEST_F(World, RanksOfAHostSeeWhatTheOthersWrote) {
  const Comm sharing = ranks_sharing_memory(ranks_of_host(world));
  const SharedMemory memory(sharing, 5000);
  const auto value = [&](int rank) { return static_cast<volatile int*>(memory.block(rank)); };
  for (int rank = 0; rank < sharing.size(); ++rank) EXPECT_EQ(*value(rank), 0);
  MPI_Barrier(sharing.get());
  *value(sharing.rank()) = 1 + sharing.rank();
  MPI_Barrier(sharing.get());
  for (int rank = 0; rank < sharing.size(); ++rank) EXPECT_EQ(*value(rank), 1 + rank);
}

TEST_F(World, LimitsAreMeasuredBetweenTwoRanksThatRunAtTheSameTime) {
  const auto before = allowed_cpu_numbers();
  const auto bounce = measure_bounce(world, ranks_of_host(world));
  if (world.size() == 1 || sysconf(_SC_NPROCESSORS_ONLN) == 1) {
    EXPECT_FALSE(bounce.line_bounce_ns);
  } else {
    EXPECT_GT(bounce.line_bounce_ns.value(), 0);
    EXPECT_EQ(bounce.bounce_ranks, (std::vector<int>{0, 1}));
  }
  EXPECT_EQ(allowed_cpu_numbers(), before);
}

TEST_F(World, TheGaugeReadsBetweenTwoRanksThatAreBoundApart) {
  const std::vector<int> cpus = allowed_cpu_numbers();
  if (cpus.size() < 2) GTEST_SKIP() << "this process may run on one CPU";
  std::vector<int> all(static_cast<std::size_t>(world.size()));
  std::iota(all.begin(), all.end(), 0);
  {
    const StayOn own(cpus[static_cast<std::size_t>(world.rank()) % 2]);
    LineGauge gauge(world, ranks_of_host(world));
    for (int reading = 0; reading < 3; ++reading) {
      const auto way_ns = gauge.read(all);
      EXPECT_EQ(way_ns.has_value(), world.rank() == 0 && world.size() > 1);
      EXPECT_GT(way_ns.value_or(1), 0);
    }
    EXPECT_FALSE(gauge.read({0})) << "the second rank does not take part";
  }
  const StayOn together(cpus.front());
  EXPECT_FALSE(LineGauge(world, ranks_of_host(world)).read(all));
}

TEST_F(World, ABounceThatIsInterruptedAtItsStartHasGroupsOfTrips) {
  constexpr std::int64_t over_ns = -1;
  const std::vector<int> cpus = allowed_cpu_numbers();
  if (cpus.size() < 2 || world.size() < 2) GTEST_SKIP() << "two ranks on a CPU each are needed";
  const StayOn own(cpus[static_cast<std::size_t>(world.rank()) % 2]);
  const SharedMemory memory(ranks_of_host(world), 2 * sizeof(CacheLine));
  std::size_t space = 2 * sizeof(CacheLine);
  void* start = memory.block(0);
  CacheLine* line = static_cast<CacheLine*>(std::align(alignof(CacheLine), sizeof(CacheLine), start, space));
  if (world.rank() == 0) new (line) CacheLine;
  wait_asleep(world.get());
  if (world.rank() < 2) {
    const double way_ns = bounce(*line, *line, world.rank() == 0, over_ns);
    EXPECT_TRUE(std::isfinite(way_ns)) << "a record has no place for infinity";
  }
  wait_asleep(world.get());
}

TEST_F(World, RanksOfOneCpuHaveNoLimit) {
  int cpu = allowed_cpu_numbers().front();
  MPI_Bcast(&cpu, 1, MPI_INT, 0, world.get());
  const StayOn together(cpu);
  const auto bounce = measure_bounce(world, ranks_of_host(world));
  EXPECT_FALSE(bounce.line_bounce_ns);
  EXPECT_FALSE(bounce.two_flags_ns);
  EXPECT_TRUE(bounce.bounce_ranks.empty());
}

}  // namespace
}  // namespace groma
