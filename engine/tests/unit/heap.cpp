#include "groma/machine/heap.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstddef>
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

TEST(Heap, FreedMemoryStaysInTheProcess) {
  const std::ptrdiff_t before = given_back();
  keep_freed_memory();
  const std::ptrdiff_t after = given_back();
#ifdef __GLIBC__
  EXPECT_GT(before, 0) << "glibc gave nothing back: this test would show nothing";
#endif
  EXPECT_EQ(after, 0) << "before: " << before;
}

}  // namespace
}  // namespace groma
