#include "groma/machine/heap.hpp"

#include <cstddef>
#include <new>

namespace groma {

void keep_freed_memory() {
  // Above the 128 KiB from which glibc maps an array by itself. A library that takes more raises the limits by itself.
  constexpr std::size_t array_bytes = 1 << 20;
  ::operator delete(::operator new(array_bytes));
}

}  // namespace groma
