#include "groma/machine/heap.hpp"

#ifndef malloc  // SimGrid's compiler has macros of these names; its heap is left alone
#include <malloc.h>
#endif

#include <cstddef>
#include <new>

namespace groma {

void keep_freed_memory() {
  // Above the 128 KiB from which glibc maps an array by itself. A library that takes more raises the limits by itself.
  constexpr std::size_t array_bytes = 1 << 20;
  ::operator delete(::operator new(array_bytes));
}

ArraysMapped::ArraysMapped() {
#ifdef M_MMAP_THRESHOLD
  constexpr int default_bytes = 128 << 10;
  mallopt(M_MMAP_THRESHOLD, default_bytes);
#endif
}

ArraysMapped::~ArraysMapped() {
#ifdef M_MMAP_THRESHOLD
  constexpr int most_bytes = 32 << 20;  // to which glibc raises it by itself
  mallopt(M_MMAP_THRESHOLD, most_bytes);
  mallopt(M_TRIM_THRESHOLD, 2 * most_bytes);
#endif
}

}  // namespace groma
