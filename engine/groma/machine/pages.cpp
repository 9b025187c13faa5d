#include "groma/machine/pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>

namespace groma {

void list_new_pages() {
  constexpr std::size_t pages = 64;  // twice what a CPU gathers
  const auto step = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t bytes = pages * step;
  void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return;  // the arrays are as good without
  volatile auto* const memory = static_cast<char*>(start);
  for (std::size_t at = 0; at < bytes; at += step) memory[at] = 1;
  munmap(start, bytes);
}

}  // namespace groma
