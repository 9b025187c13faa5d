// The state of the user's buffers before a call. Prepared before ranks are brought together, never between
// the stamps.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "groma/buffers/arena.hpp"
#include "groma/buffers/payload.hpp"

namespace groma {

/// What a rank's arena must hold for a point, in whatever cache state it asks for; `needs` are those of one set of
/// buffers.
Needs arena_needs(const Point& point, Needs needs);

/// Why a cache state can't be had on this processor; empty when it can.
std::string cache_refusal(method::Cache cache);

/// The numbers below `count` in an order that no prefetcher guesses, each once before any comes again. Draws with a
/// congruential generator of full period (Hull and Dobell 1962), so that it needs no memory that would fill caches.
class ShuffledTurns {
 public:
  ShuffledTurns(std::int64_t count, std::uint64_t seed);
  std::int64_t next();

 private:
  std::uint64_t count_;
  std::uint64_t mask_;
  std::uint64_t step_;
  std::uint64_t at_;
};

class CacheKeeper {
 public:
  /// `needs` are those of one set of buffers.
  CacheKeeper(const Point& point, const Needs& needs, const Arena& arena, std::int64_t seed);

  [[nodiscard]] bool warm() const { return point_.cache == method::Cache::warm; }

  /// Prepares the state for the next repetition, and says where its buffers lie.
  Arrays next();

  /// Bytes that sweep must walk through: twice the last-level cache.
  static std::int64_t sweep_bytes();

  /// How many sets of buffers take turns under `rotate`, one where `cache_pool` has no room for two, and how far apart
  /// they lie.
  static std::int64_t rotating_sets(const Point& point, const Needs& needs);
  static std::int64_t stride_bytes(const Point& point, const Needs& needs);

 private:
  Point point_;
  Needs needs_;
  const Arena& arena_;
  ShuffledTurns order_;
  std::int64_t turns_ = 0;
};

/// Reads and writes one word of every cache line.
void sweep(std::span<std::byte> region);

/// Writes one byte of every cache line, as it is.
void write_lines(std::span<std::byte> region);

/// Writes every cache line of the region back to memory and drops it.
void flush(std::span<std::byte> region);

}  // namespace groma
