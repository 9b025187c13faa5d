// The ways in which a hand-written loop hands a message from one core to another, as a library's loops would.
//
// `at` is where the message lies among those of its sender. All bytes are read by the receiver's core.
#pragma once

#include "groma/machine/handoff_memory.hpp"
#include "groma/schema/machine.hpp"

namespace groma::handoff {

inline void move_bytes(std::byte* to, const std::byte* from, std::int64_t bytes) {
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
  asm volatile("" : : "r"(to) : "memory");
}

/// One rank's end of the pair.
struct End {
  Block mine;
  Block theirs;
  bool leader;
  std::int64_t announced = 0;
  std::int64_t heard = 0;
  std::int64_t sent = 0;  ///< messages; numbered from 1
  std::int64_t received = 0;
  std::int64_t wrong = 0;  ///< cache lines received that were not of the message expected

  void announce() { mine.flags->ready.value.store(++announced, std::memory_order_release); }
  void hear() { await(theirs.flags->ready.value, ++heard); }
  void consume() { mine.flags->consumed.value.store(heard, std::memory_order_release); }
  /// Waits until both ranks are here and have taken everything.
  void meet() {
    if (leader) announce();
    hear();
    consume();
    if (!leader) announce();
  }
};

/// The receiver copies the message from where it lies.
struct OneCopy {
  static constexpr auto recorded = &schema::Handoff::one_copy;
  static bool suits(std::int64_t) { return true; }
  static void send(End& end, std::int64_t, std::int64_t) { end.announce(); }
  static void receive(End& end, std::int64_t at, std::int64_t bytes) {
    end.hear();
    move_bytes(end.mine.target, end.theirs.source + at, bytes);
  }
};

/// The sender copies the first half, the receiver the second.
struct HalfEach {
  static constexpr auto recorded = &schema::Handoff::half_each;
  static bool suits(std::int64_t bytes) { return bytes >= 1024; }
  static void send(End& end, std::int64_t at, std::int64_t bytes) {
    await(end.theirs.flags->consumed.value, end.announced);
    end.announce();
    move_bytes(end.theirs.target, end.mine.source + at, bytes / 2);
    end.mine.flags->pushed.value.store(end.announced, std::memory_order_release);
  }
  static void receive(End& end, std::int64_t at, std::int64_t bytes) {
    end.hear();
    move_bytes(end.mine.target + bytes / 2, end.theirs.source + at + bytes / 2, bytes - bytes / 2);
    await(end.theirs.flags->pushed.value, end.heard);
    for (std::int64_t line = 0; line < bytes / 2; line += cache_line_bytes) {  // it is not here before it is read
      static_cast<void>(*static_cast<const volatile std::byte*>(end.mine.target + line));
    }
    end.consume();
  }
};

/// In and out of a ring, a chunk at a time: the receiver copies one while the sender copies the next.
struct TwoCopies {
  static constexpr auto recorded = &schema::Handoff::two_copies;
  /// Larger ones take several times as long as one copy, and much of the launch's time.
  static bool suits(std::int64_t bytes) { return bytes <= std::int64_t{1024} * 1024; }
  static std::int64_t chunk(std::int64_t bytes) { return std::clamp(bytes / 4, page_bytes, chunk_bytes); }
  static std::byte* slot(const Block& block, std::int64_t number) {
    return block.ring + number % ring_chunks * chunk_bytes;
  }
  static void send(End& end, std::int64_t at, std::int64_t bytes) {
    for (std::int64_t done = 0; done < bytes; done += chunk(bytes)) {
      await(end.theirs.flags->consumed.value, end.announced + 1 - ring_chunks);
      const std::int64_t part = std::min(chunk(bytes), bytes - done);
      move_bytes(slot(end.mine, end.announced + 1), end.mine.source + at + done, part);
      end.announce();
    }
  }
  static void receive(End& end, std::int64_t, std::int64_t bytes) {
    for (std::int64_t done = 0; done < bytes; done += chunk(bytes)) {
      end.hear();
      move_bytes(end.mine.target + done, slot(end.theirs, end.heard), std::min(chunk(bytes), bytes - done));
      end.consume();
    }
  }
};

}  // namespace groma::handoff
