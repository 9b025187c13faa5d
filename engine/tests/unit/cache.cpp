// A walk in which each load depends on the one before shows what state the caches are in.
#include "groma/buffers/cache.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <set>

#include "groma/clock/clocks.hpp"
#include "groma/operations/point_to_point.hpp"
#include "groma/plan/fields.hpp"
#include "known.hpp"

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
std::int64_t walk_in(method::Cache cache) {
  Point point = default_point(PingPong::info);
  point.bytes = 64 * lines;
  point.cache = cache;
  const Arena arena(arena_needs(point, needs(PingPong::info, point, 2)));
  CacheKeeper keeper(point, needs(PingPong::info, point, 2), arena, 1);
  std::vector<std::int64_t> times;
  if (cache == method::Cache::rotate) {
    for (std::int64_t i = 0; i < CacheKeeper::rotating_sets(point, needs(PingPong::info, point, 2)); ++i)
      lay_cycle(keeper.next().send);
  } else {
    lay_cycle(lay_out(arena, point).send);
  }
  for (int i = 0; i < 15; ++i) times.push_back(walk_ns(keeper.next().send));
  std::nth_element(times.begin(), times.begin() + 7, times.end());
  return times[7];
}

/// The shortest of five medians of one dependent load of a buffer of one line, its clock readings included.
std::int64_t load_in(method::Cache cache) {
  constexpr int medians = 5;
  constexpr int loads = 101;
  Point point = default_point(PingPong::info);
  point.bytes = 8;
  point.cache = cache;
  const Needs one = needs(PingPong::info, point, 2);
  const Arena arena(arena_needs(point, needs(PingPong::info, point, 2)));
  CacheKeeper keeper(point, one, arena, 1);
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  for (int group = 0; group < medians; ++group) {
    std::vector<std::int64_t> times;
    for (int i = 0; i < (cache == method::Cache::sweep ? 11 : loads); ++i) {
      const std::byte* at = keeper.next().send;
      const std::int64_t before = Monotonic::now();
      const std::byte value = *static_cast<const volatile std::byte*>(at);
      asm volatile("" : : "r"(value) : "memory");
      times.push_back(Monotonic::now() - before);
    }
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    shortest = std::min(shortest, *middle);
  }
  return shortest;
}

// Sets in sequential order are fetched ahead by the processor: one line then costs what a warm one does.
// Another program on the processor can disturb one comparison, and not three.
TEST(Cache, OneLineIsFetchedFromMemoryInEveryColdState) {
  constexpr int comparisons = 3;
  for (const auto state : {method::Cache::rotate, method::Cache::sweep, method::Cache::flush}) {
    if (!cache_refusal(state).empty()) continue;
    std::int64_t warm = 0;
    std::int64_t cold = 0;
    for (int i = 0; i < comparisons && 2 * cold <= 3 * warm; ++i) {
      warm = load_in(method::Cache::warm);
      cold = load_in(state);
    }
    EXPECT_GT(2 * cold, 3 * warm) << name_of(state);
  }
}

TEST(Cache, TurnsVisitEveryNumberOnceBeforeAnyComesAgain) {
  for (const std::int64_t count : {1, 2, 3, 64, 1000, 4097}) {
    ShuffledTurns turns(count, 7);
    for (int round = 0; round < 2; ++round) {
      std::set<std::int64_t> seen;
      for (std::int64_t i = 0; i < count; ++i) seen.insert(turns.next());
      EXPECT_EQ(static_cast<std::int64_t>(seen.size()), count);
      EXPECT_EQ(*seen.begin(), 0);
      EXPECT_EQ(*seen.rbegin(), count - 1);
    }
  }
}

TEST(Cache, TurnsAreInNoSequence) {
  ShuffledTurns turns(1 << 16, 7);
  std::int64_t near = 0;
  std::int64_t last = turns.next();
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t one = turns.next();
    near += std::abs(one - last) < 64 ? 1 : 0;
    last = one;
  }
  EXPECT_LT(near, 20);
}

// The states must differ, by a ratio on one machine at one time; how long a load takes is not asserted.
TEST(Cache, ColdStatesCostSeveralTimesAWarmWalk) {
  const std::int64_t warm = walk_in(method::Cache::warm);
  for (const auto cold : {method::Cache::rotate, method::Cache::sweep, method::Cache::flush}) {
    if (!cache_refusal(cold).empty()) continue;
    EXPECT_GT(walk_in(cold), 2 * warm) << name_of(cold);
  }
}

TEST(Cache, RotatingBuffersFillTwiceTheLastLevelAndStayInside) {
  Point point = default_point(PingPong::info);
  point.bytes = 1000;
  point.cache = method::Cache::rotate;
  const Needs one = needs(PingPong::info, point, 2);
  const Needs all = arena_needs(point, needs(PingPong::info, point, 2));
  EXPECT_GE(all.send_bytes, CacheKeeper::sweep_bytes());
  const Arena arena(all);
  CacheKeeper keeper(point, one, arena, 1);
  const std::int64_t sets = CacheKeeper::rotating_sets(point, one);
  std::vector<std::byte*> first;
  for (std::int64_t i = 0; i < sets; ++i) {
    const Arrays arrays = keeper.next();
    ASSERT_LE(arrays.send + point.bytes, arena.send().data() + arena.send().size());
    ASSERT_LE(arrays.receive + point.bytes, arena.receive().data() + arena.receive().size());
    first.push_back(arrays.send);
  }
  for (std::byte* const place : first) ASSERT_EQ(keeper.next().send, place) << "the sets take turns";
  std::sort(first.begin(), first.end());
  ASSERT_EQ(std::adjacent_find(first.begin(), first.end()), first.end()) << "every set is another";
}

TEST(Cache, APoolHoldsBothArraysAndIsGoneThroughInTurn) {
  Point point = default_point(PingPong::info);
  point.bytes = 1000;
  point.alignment = 32;
  point.cache = method::Cache::rotate;
  point.cache_pool = 65536;
  const Needs one = needs(PingPong::info, point, 2);
  const Needs all = arena_needs(point, needs(PingPong::info, point, 2));
  const std::int64_t sets = CacheKeeper::rotating_sets(point, one);
  const std::int64_t stride = CacheKeeper::stride_bytes(point, one);
  EXPECT_EQ(sets, 32) << "two arrays of 1024 bytes, 1000 rounded up to lines";
  EXPECT_LE(all.send_bytes + all.receive_bytes, point.cache_pool);
  const Arena arena(all);
  CacheKeeper keeper(point, one, arena, 1);
  Arrays before = keeper.next();
  for (std::int64_t i = 1; i + 1 < sets; ++i) {
    const Arrays arrays = keeper.next();
    ASSERT_EQ(arrays.send - before.send, stride);
    before = arrays;
  }
}

TEST(Cache, APoolWithoutRoomForTwoSetsLeavesTheBuffersWhereTheyAre) {
  Point point = default_point(PingPong::info);
  point.bytes = 1 << 20;
  point.cache = method::Cache::rotate;
  point.cache_pool = 65536;
  const Needs one = needs(PingPong::info, point, 2);
  const Arena arena(arena_needs(point, needs(PingPong::info, point, 2)));
  CacheKeeper keeper(point, one, arena, 1);
  EXPECT_EQ(keeper.next().receive, keeper.next().receive);
}

}  // namespace
}  // namespace groma
