#include "groma/machine/pages.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "groma/buffers/arena.hpp"

namespace groma {
namespace {

constexpr std::size_t page_bytes = 4096;

/// A number of 8 bytes in one of the kernel's files, by its place in the file; nothing where it cannot be read.
std::optional<std::uint64_t> number_at(const char* path, std::uint64_t place) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  std::uint64_t number = 0;
  const ssize_t read = pread(file, &number, sizeof number, static_cast<off_t>(place * sizeof number));
  close(file);
  if (read != sizeof number) return {};
  return number;
}

/// Whether the kernel has a page on its list of pages in use (KPF_LRU); nothing where this process must not know.
std::optional<bool> is_listed(const std::byte* page) {
  constexpr std::uint64_t frame_bits = (std::uint64_t{1} << 55) - 1;
  constexpr unsigned listed = 5;
  const auto entry = number_at("/proc/self/pagemap", reinterpret_cast<std::uintptr_t>(page) / page_bytes);
  if (!entry || (*entry & frame_bits) == 0) return {};
  const auto flags = number_at("/proc/kpageflags", *entry & frame_bits);
  if (!flags) return {};
  return (*flags >> listed & 1) == 1;
}

int listed_pages(std::span<std::byte> memory) {
  int count = 0;
  for (std::size_t at = 0; at < memory.size(); at += page_bytes) count += is_listed(&memory[at]).value_or(false);
  return count;
}

TEST(Pages, OfArraysAreOnTheKernelsList) {
  if (sysconf(_SC_PAGESIZE) != page_bytes) GTEST_SKIP() << "pages are not 4 KiB here";
  constexpr std::size_t pages = 32;
  const Arena arena(Needs{.send_bytes = pages * page_bytes, .receive_bytes = pages * page_bytes});
  // Of two pages that are new now, one at least waits for others.
  constexpr std::size_t few = 2;
  void* start = mmap(nullptr, few * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(start, MAP_FAILED);
  const std::span fresh(static_cast<std::byte*>(start), few * page_bytes);
  for (std::size_t at = 0; at < fresh.size(); at += page_bytes) fresh[at] = std::byte{1};
  if (!is_listed(fresh.data())) GTEST_SKIP() << "the kernel does not say which pages it lists";
  EXPECT_LT(listed_pages(fresh), static_cast<int>(few)) << "new pages are listed at once: this test shows nothing";
  EXPECT_EQ(listed_pages(arena.send()), static_cast<int>(pages));
  EXPECT_EQ(listed_pages(arena.receive()), static_cast<int>(pages));
  list_new_pages();
  EXPECT_EQ(listed_pages(fresh), static_cast<int>(few));
  munmap(start, fresh.size());
}

}  // namespace
}  // namespace groma
