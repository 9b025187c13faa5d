#include "groma/machine/pages.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
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

/// A number of 8 bytes in one of the kernel's files, by its place in the file; nothing if it cannot be read.
std::optional<std::uint64_t> number_at(const char* path, std::uint64_t place) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  std::uint64_t number = 0;
  const ssize_t read = pread(file, &number, sizeof number, static_cast<off_t>(place * sizeof number));
  close(file);
  if (read != sizeof number) return {};
  return number;
}

/// True if the kernel has a page on its list of pages in use (KPF_LRU); nothing if this process must not know.
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

/// Keeps this process on its CPU, whose new pages are gathered apart from those of others.
class OneCpu {
 public:
  OneCpu() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  OneCpu(const OneCpu&) = delete;
  OneCpu& operator=(const OneCpu&) = delete;
  ~OneCpu() { sched_setaffinity(0, sizeof before_, &before_); }

 private:
  cpu_set_t before_;
};

/// Two pages that are new now.
class FreshPages {
 public:
  FreshPages()
      : start_(
            static_cast<std::byte*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    for (std::size_t at = 0; at < bytes; at += page_bytes) start_[at] = std::byte{1};
  }
  FreshPages(const FreshPages&) = delete;
  FreshPages& operator=(const FreshPages&) = delete;
  ~FreshPages() { munmap(start_, bytes); }
  [[nodiscard]] std::span<std::byte> memory() const { return {start_, bytes}; }

  static constexpr int many = 2;

 private:
  static constexpr std::size_t bytes = many * page_bytes;
  std::byte* start_;
};

TEST(Pages, OfArraysAreOnTheKernelsList) {
  if (sysconf(_SC_PAGESIZE) != page_bytes) GTEST_SKIP() << "pages are not 4 KiB here";
  const OneCpu bound;
  constexpr std::size_t pages = 32;
  const Arena arena(Needs{.send_bytes = pages * page_bytes, .receive_bytes = pages * page_bytes});
  EXPECT_EQ(listed_pages(arena.send()), static_cast<int>(pages));
  EXPECT_EQ(listed_pages(arena.receive()), static_cast<int>(pages));
  // Of two new pages one at least waits for others, unless another process takes the CPU and has new pages meanwhile.
  constexpr int most_tries = 1000;
  for (int tried = 0; tried < most_tries; ++tried) {
    const FreshPages fresh;
    if (!is_listed(fresh.memory().data())) GTEST_SKIP() << "the kernel does not say which pages it lists";
    if (listed_pages(fresh.memory()) == FreshPages::many) continue;
    list_new_pages();
    EXPECT_EQ(listed_pages(fresh.memory()), FreshPages::many);
    return;
  }
  FAIL() << "new pages are listed at once: this test shows nothing";
}

}  // namespace
}  // namespace groma
