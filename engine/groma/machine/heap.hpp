#pragma once

namespace groma {

/// Lets freed memory stay in the process, as it does in programs that have freed an array before.
///
/// The C library of Linux (glibc) gives the end of the heap back to the kernel whenever 128 KiB of it are free, until a
/// program first frees a larger array: then only where twice that array's size is free. A library that takes temporary
/// memory in each call has new pages in each call, or none, by what happens to lie behind: a reduce_scatter_block of
/// 64 KiB took 14 us in one program and 80 us in another.
void keep_freed_memory();

/// While one lives, glibc maps each array of 128 KiB or more by itself, as in a program that has freed none so far;
/// then none below 32 MiB, and freed memory stays.
class ArraysMapped {
 public:
  ArraysMapped();
  ~ArraysMapped();
  ArraysMapped(const ArraysMapped&) = delete;
  ArraysMapped& operator=(const ArraysMapped&) = delete;
};

}  // namespace groma
