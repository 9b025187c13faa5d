// The memory through which two ranks of a host hand messages to each other, and the bytes that distinguish messages.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

namespace groma::handoff {

inline constexpr std::int64_t page_bytes = 4096;
inline constexpr std::int64_t cache_line_bytes = 64;
inline constexpr std::int64_t chunk_bytes = 16'384;
inline constexpr std::int64_t ring_chunks = 16;
/// Messages that are sent one behind the other before they change again take this much room, or one message does.
inline constexpr std::int64_t window_bytes = 131'072;

struct alignas(128) Line {
  std::atomic<std::int64_t> value{0};
};

inline void await(const std::atomic<std::int64_t>& counter, std::int64_t value) {
  while (counter.load(std::memory_order_acquire) < value) {
  }
}

/// What one of the two ranks signals to the other. Counters only grow and are not reset between groups.
struct Flags {
  Line ready;     ///< messages, chunks and acknowledgements announced so far
  Line pushed;    ///< the last announcement whose first half this rank has copied to the other
  Line consumed;  ///< the last announcement of the other that this rank has taken
  Line groups;    ///< how many groups follow
};

/// What the message with this number has in each of its cache lines; no byte is that of the message before.
inline std::int64_t mark_of(std::int64_t number) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(number) * 0x0101010101010101U);
}

/// Changes every cache line of a message, so that whoever reads it must fetch it from this core.
inline void mark(std::byte* message, std::int64_t bytes, std::int64_t number) {
  const std::int64_t word = mark_of(number);
  for (std::int64_t at = 0; at < bytes; at += cache_line_bytes) {
    std::memcpy(message + at, &word, std::min(sizeof word, static_cast<std::size_t>(bytes - at)));
  }
  asm volatile("" : : "r"(message) : "memory");
}

/// How many cache lines of a received message are not of the one with this number.
inline std::int64_t wrong_lines(const std::byte* message, std::int64_t bytes, std::int64_t number) {
  const std::int64_t word = mark_of(number);
  std::int64_t wrong = 0;
  for (std::int64_t at = 0; at < bytes; at += cache_line_bytes) {
    const auto compared = std::min(sizeof word, static_cast<std::size_t>(bytes - at));
    wrong += std::memcmp(message + at, &word, compared) == 0 ? 0 : 1;
  }
  return wrong;
}

/// The shared memory of one rank: flags, ring of chunks, the messages it sends, and where it receives.
struct Block {
  Flags* flags;
  std::byte* ring;
  std::byte* source;
  std::byte* target;

  static std::int64_t source_bytes(std::int64_t largest) {
    return std::max(window_bytes, (largest + page_bytes - 1) / page_bytes * page_bytes);
  }
  static std::int64_t bytes(std::int64_t largest) {
    return 4 * page_bytes + ring_chunks * chunk_bytes + source_bytes(largest) + largest;
  }
  /// Touches every page of it; by its owner.
  void prepare(std::int64_t largest) {
    new (flags) Flags;
    std::memset(ring, 1, static_cast<std::size_t>(ring_chunks * chunk_bytes));
    std::memset(source, 1, static_cast<std::size_t>(source_bytes(largest)));
    std::memset(target, 1, static_cast<std::size_t>(largest));
  }
  Block(void* memory, std::int64_t largest) {
    auto space = static_cast<std::size_t>(bytes(largest));
    auto* start = static_cast<std::byte*>(std::align(page_bytes, space - page_bytes, memory, space));
    flags = reinterpret_cast<Flags*>(start);
    ring = start + page_bytes;
    source = ring + ring_chunks * chunk_bytes;
    // An odd number of lines beyond the source: equal page offsets would have loads wait for stores.
    target = source + source_bytes(largest) + page_bytes / 2 + cache_line_bytes;
  }
};
static_assert(sizeof(Flags) <= page_bytes);

}  // namespace groma::handoff
