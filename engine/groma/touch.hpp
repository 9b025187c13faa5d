// What the owner of a message does with it besides MPI: it changes a message before it sends it, and reads one that has
// arrived. See docs/adr/0051.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace groma {

/// What one rank writes and reads; either may be empty.
struct Touch {
  std::span<std::byte> written{};
  std::span<std::byte> read{};
};

/// Calls `visit` with one byte of every cache line of a message.
template <class Visit>
inline void each_line(std::span<std::byte> message, Visit visit) noexcept {
  constexpr std::uintptr_t line_bytes = 64;
  std::byte* at = message.data();
  std::byte* const end = at + message.size();
  while (at < end) {
    visit(*at);
    at += line_bytes - reinterpret_cast<std::uintptr_t>(at) % line_bytes;
  }
}

/// Changes one bit in every cache line. Changed twice, a message is as it was: a message that was changed before its
/// one change in the loop is sent as it was filled, and the payload check finds a change that is missing.
inline void change_lines(std::span<std::byte> message) noexcept {
  each_line(message, [](std::byte& one) { one ^= std::byte{1}; });
}

/// Reads every cache line, whatever the compiler knows of the use of it.
inline void read_lines(std::span<std::byte> message) noexcept {
  unsigned sum = 0;
  each_line(message, [&sum](std::byte one) { sum += static_cast<unsigned>(one); });
  asm volatile("" : : "r"(sum));
}

}  // namespace groma
