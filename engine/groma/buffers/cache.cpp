#include "groma/buffers/cache.hpp"

#include <algorithm>
#include <bit>

#include "groma/cpuid.hpp"
#include "groma/machine/files.hpp"
#include "groma/random.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace groma {
namespace {

constexpr std::int64_t line_bytes = 64;

std::int64_t rounded_up(std::int64_t value, std::int64_t step) { return (value + step - 1) / step * step; }

#if defined(__x86_64__)
[[gnu::target("clflushopt")]] void flush_lines(std::byte* start, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += line_bytes) _mm_clflushopt(start + i);
  if (bytes > 0) _mm_clflushopt(start + bytes - 1);
  _mm_mfence();
}
#else
void flush_lines(std::byte*, std::size_t) {}
#endif

}  // namespace

std::string cache_refusal(method::Cache cache) {
  if (cache != method::Cache::flush) return "";
  constexpr unsigned clflushopt_bit = 1U << 23;
  if ((cpuid(7).b & clflushopt_bit) != 0) return "";
  return "this processor has no instruction that drops chosen lines (clflushopt)";
}

Needs arena_needs(const Point& point, Needs needs) {
  if (point.cache == method::Cache::rotate) {
    const std::int64_t bytes = CacheKeeper::rotating_sets(point, needs) * CacheKeeper::stride_bytes(point, needs);
    needs.send_bytes = needs.receive_bytes = bytes;
  }
  if (point.cache == method::Cache::sweep) needs.sweep_bytes = CacheKeeper::sweep_bytes();
  return needs;
}

void sweep(std::span<std::byte> region) {
  for (std::size_t i = 0; i < region.size(); i += line_bytes) {
    region[i] = static_cast<std::byte>(static_cast<unsigned>(region[i]) + 1U) | std::byte{1};
  }
  asm volatile("" : : "r"(region.data()) : "memory");
}

void write_lines(std::span<std::byte> region) {
  for (std::size_t i = 0; i < region.size(); i += line_bytes) {
    auto* value = static_cast<volatile std::byte*>(&region[i]);
    *value = *value;
  }
}

void flush(std::span<std::byte> region) { flush_lines(region.data(), region.size()); }

std::int64_t CacheKeeper::sweep_bytes() {
  constexpr std::int64_t unknown = 32LL * 1024 * 1024;
  const std::int64_t cache = last_level_cache_bytes();
  return 2 * (cache > 0 ? cache : unknown);
}

std::int64_t CacheKeeper::stride_bytes(const Point& point, const Needs& needs) {
  return rounded_up(std::max({needs.send_bytes, needs.receive_bytes, line_bytes}),
                    std::max(point.alignment, line_bytes));
}

std::int64_t CacheKeeper::rotating_sets(const Point& point, const Needs& needs) {
  const std::int64_t stride = stride_bytes(point, needs);
  if (point.cache_pool == 0) return (sweep_bytes() + stride - 1) / stride;
  const std::int64_t arrays = (needs.send_bytes > 0 ? 1 : 0) + (needs.receive_bytes > 0 ? 1 : 0);
  return std::max<std::int64_t>(1, point.cache_pool / (std::max<std::int64_t>(1, arrays) * stride));
}

ShuffledTurns::ShuffledTurns(std::int64_t count, std::uint64_t seed)
    : count_(static_cast<std::uint64_t>(count)),
      mask_(std::bit_ceil(count_) - 1),
      step_(next_random(seed) | 1U),
      at_(next_random(seed) & mask_) {}

std::int64_t ShuffledTurns::next() {
  constexpr std::uint64_t factor = 0x9E3779B97F4A7C15;  // 1 modulo 4, as a full period needs
  static_assert(factor % 4 == 1);
  do {
    at_ = (factor * at_ + step_) & mask_;
  } while (at_ >= count_);
  return static_cast<std::int64_t>(at_);
}

CacheKeeper::CacheKeeper(const Point& point, const Needs& needs, const Arena& arena, std::int64_t seed)
    : point_(point),
      needs_(needs),
      arena_(arena),
      order_(point.cache == method::Cache::rotate ? rotating_sets(point, needs) : 1, static_cast<std::uint64_t>(seed)) {
  if (point.cache != method::Cache::rotate || point.cache_pool == 0) return;
  // A program with a small pool of its own has just written it: what fits into the caches is in them.
  const auto bytes = static_cast<std::size_t>(rotating_sets(point, needs) * stride_bytes(point, needs));
  const Arrays arrays = lay_out(arena, point);
  if (needs.send_bytes > 0) write_lines({arrays.send, bytes});
  if (needs.receive_bytes > 0) write_lines({arrays.receive, bytes});
}

Arrays CacheKeeper::next() {
  Arrays arrays = lay_out(arena_, point_);
  if (point_.cache == method::Cache::rotate) {
    // A program with a small pool of its own goes through it in order.
    const std::int64_t set = point_.cache_pool > 0 ? ++turns_ % rotating_sets(point_, needs_) : order_.next();
    const std::int64_t start = set * stride_bytes(point_, needs_);
    arrays.send += start;
    arrays.receive += start;
  }
  if (point_.cache == method::Cache::sweep) sweep(arena_.sweep());
  if (point_.cache == method::Cache::flush) {
    flush({arrays.send, static_cast<std::size_t>(needs_.send_bytes)});
    flush({arrays.receive, static_cast<std::size_t>(needs_.receive_bytes)});
  }
  return arrays;
}

}  // namespace groma
