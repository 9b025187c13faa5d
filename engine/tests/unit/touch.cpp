#include "groma/touch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace groma {
namespace {

// A message of any length, wherever it starts, with bytes of others before and behind it.
TEST(Touch, ChangesEveryCacheLineOfAMessageAndNothingElse) {
  constexpr std::ptrdiff_t line = 64;
  alignas(line) std::byte memory[8 * line];
  for (const std::ptrdiff_t start : {0, 1, 63, 64, 100}) {
    for (const std::ptrdiff_t size : {0, 1, 2, 63, 64, 65, 128, 300}) {
      std::ranges::fill(memory, std::byte{0x55});
      change_lines({memory + start, static_cast<std::size_t>(size)});
      for (std::ptrdiff_t at = 0; at < std::ssize(memory); at += line) {
        const std::ptrdiff_t changed = line - std::count(memory + at, memory + at + line, std::byte{0x55});
        EXPECT_EQ(changed, at < start + size && at + line > start && size > 0 ? 1 : 0) << start << " " << size;
      }
      const auto outside = [](std::byte one) { return one == std::byte{0x55}; };
      EXPECT_TRUE(std::all_of(memory, memory + start, outside));
      EXPECT_TRUE(std::all_of(memory + start + size, std::end(memory), outside));
    }
  }
}

TEST(Touch, ChangedTwiceAMessageIsAsItWas) {
  std::vector<std::byte> message(1000, std::byte{0x7F});
  const std::vector<std::byte> before = message;
  change_lines(message);
  EXPECT_NE(message, before);
  change_lines(message);
  EXPECT_EQ(message, before);
  read_lines(message);
  EXPECT_EQ(message, before);
}

}  // namespace
}  // namespace groma
