// METHODS 5: a walk in which each load depends on the one before shows what state the caches are in.
#include "groma/buffers/cache.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "groma/clock/clocks.hpp"
#include "groma/operations/catalogue.hpp"
#include "groma/plan/fields.hpp"

namespace groma {
namespace {

constexpr std::size_t lines = 512;  // 32 KiB: fits every first-level cache

/// A cycle through all lines of the array, in an order that no prefetcher guesses.
void lay_cycle(std::byte* start) {
  std::vector<std::size_t> order(lines);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::uint64_t state = 1;
  for (std::size_t i = lines - 1; i > 0; --i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    std::swap(order[i], order[(state >> 33U) % (i + 1)]);
  }
  for (std::size_t i = 0; i < lines; ++i) {
    *reinterpret_cast<std::byte**>(start + 64 * order[i]) = start + 64 * order[(i + 1) % lines];
  }
}

std::int64_t walk_ns(std::byte* start) {
  const std::int64_t before = Monotonic::now();
  std::byte* at = start;
  for (std::size_t i = 0; i < lines; ++i) at = *reinterpret_cast<std::byte**>(at);
  asm volatile("" : : "r"(at) : "memory");
  return Monotonic::now() - before;
}

/// Median walk time over the send array in a state of the caches.
std::int64_t walk_in(const std::string& cache) {
  Point point = default_point(PingPong::info);
  point.bytes = 64 * lines;
  point.cache = cache;
  const Arena arena(arena_needs(PingPong::info, point, 2));
  CacheKeeper keeper(point, needs_of(PingPong::info, point, 2), arena);
  std::vector<std::int64_t> times;
  if (cache == "rotate") {
    for (std::int64_t i = 0; i < CacheKeeper::rotating_sets(point, needs_of(PingPong::info, point, 2)); ++i)
      lay_cycle(keeper.next().send);
  } else {
    lay_cycle(lay_out(arena, point).send);
  }
  for (int i = 0; i < 15; ++i) times.push_back(walk_ns(keeper.next().send));
  std::nth_element(times.begin(), times.begin() + 7, times.end());
  return times[7];
}

// The states must differ, by a ratio on one machine at one time; how long a load takes is not asserted.
TEST(Cache, ColdStatesCostSeveralTimesAWarmWalk) {
  const std::int64_t warm = walk_in("warm");
  for (const char* cold : {"rotate", "sweep", "flush"}) {
    if (!cache_refusal(cold).empty()) continue;
    EXPECT_GT(walk_in(cold), 2 * warm) << cold;
  }
}

TEST(Cache, RotatingBuffersFillTwiceTheLastLevelAndStayInside) {
  Point point = default_point(PingPong::info);
  point.bytes = 1000;
  point.cache = "rotate";
  const Needs one = needs_of(PingPong::info, point, 2);
  const Needs all = arena_needs(PingPong::info, point, 2);
  EXPECT_GE(all.send_bytes, CacheKeeper::sweep_bytes());
  const Arena arena(all);
  CacheKeeper keeper(point, one, arena);
  const Arrays first = keeper.next();
  for (std::int64_t i = 0; i < CacheKeeper::rotating_sets(point, one); ++i) {
    const Arrays arrays = keeper.next();
    ASSERT_LE(arrays.send + point.bytes, arena.send().data() + arena.send().size());
    ASSERT_LE(arrays.receive + point.bytes, arena.receive().data() + arena.receive().size());
    if (i + 1 < CacheKeeper::rotating_sets(point, one)) {
      ASSERT_NE(arrays.send, first.send);
    } else {
      ASSERT_EQ(arrays.send, first.send) << "the sets take turns";
    }
  }
}

}  // namespace
}  // namespace groma
