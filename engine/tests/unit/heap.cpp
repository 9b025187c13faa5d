#include "groma/machine/heap.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <vector>

namespace groma {
namespace {

/// The end of the heap, after half a MiB of small arrays was freed there, less where it was before they were.
std::ptrdiff_t given_back() {
  constexpr std::size_t array_bytes = 100 << 10;  // below what glibc maps apart from the heap
  std::array<std::unique_ptr<std::vector<char>>, 5> arrays;
  for (auto& array : arrays) array = std::make_unique<std::vector<char>>(array_bytes, 'x');
  const auto* grown = static_cast<const char*>(sbrk(0));
  for (auto& array : arrays) array.reset();
  return grown - static_cast<const char*>(sbrk(0));
}

/// 0 if freed memory leaves the process before `keep_freed_memory`, where the C library is glibc, and stays after it.
int exit_code() {
  const std::ptrdiff_t before = given_back();
  keep_freed_memory();
  const std::ptrdiff_t after = given_back();
#ifdef __GLIBC__
  const bool shows = before > 0;
#else
  const bool shows = true;
#endif
  std::cerr << "given back: " << before << " bytes before, " << after << " after\n";
  return shows && after == 0 ? 0 : 1;
}

// In a process of its own: what other tests freed has changed what glibc keeps.
TEST(HeapDeathTest, FreedMemoryStaysInTheProcess) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(std::_Exit(exit_code()), ::testing::ExitedWithCode(0), "0 after");
}

}  // namespace
}  // namespace groma
