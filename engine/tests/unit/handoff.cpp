#include <gtest/gtest.h>

#include <vector>

#include "groma/machine/handoff_memory.hpp"

namespace groma::handoff {
namespace {

constexpr std::int64_t sizes[] = {1, 3, 8, 63, 64, 65, 100, 4096, 100'003};

TEST(HandoffMark, EveryCacheLineTellsTheMessageFromTheOneBefore) {
  for (const std::int64_t bytes : sizes) {
    std::vector<std::byte> message(static_cast<std::size_t>(bytes));
    const std::int64_t lines = (bytes + cache_line_bytes - 1) / cache_line_bytes;
    for (const std::int64_t number : {1, 2, 255, 256, 257, 1'000'000}) {
      EXPECT_EQ(wrong_lines(message.data(), bytes, number), lines) << bytes << " bytes, message " << number;
      mark(message.data(), bytes, number);
      EXPECT_EQ(wrong_lines(message.data(), bytes, number), 0);
    }
  }
}

TEST(HandoffMark, OneLineOfTheMessageBeforeIsFound) {
  std::vector<std::byte> message(4096);
  for (std::int64_t line = 0; line < 64; ++line) {
    mark(message.data(), 4096, 7);
    mark(message.data() + line * cache_line_bytes, cache_line_bytes, 6);
    EXPECT_EQ(wrong_lines(message.data(), 4096, 7), 1);
  }
}

TEST(HandoffMark, NothingIsWrittenBeyondTheMessage) {
  for (const std::int64_t bytes : sizes) {
    std::vector<std::byte> message(static_cast<std::size_t>(bytes) + 8, std::byte{0xee});
    mark(message.data(), bytes, 3);
    for (std::int64_t at = bytes; at < bytes + 8; ++at)
      EXPECT_EQ(message[static_cast<std::size_t>(at)], std::byte{0xee});
  }
}

}  // namespace
}  // namespace groma::handoff
