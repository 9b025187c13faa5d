#pragma once

namespace groma {

/// Lets freed memory stay in the process, as it does in programs that have freed an array before.
///
/// The C library of Linux (glibc) gives the end of the heap back to the kernel whenever 128 KiB of it are free, until a
/// program first frees a larger array: then only where twice that array's size is free. A library that takes temporary
/// memory in each call has new pages in each call, or none, by what happens to lie behind: a reduce_scatter_block of
/// 64 KiB took 14 us in one program and 80 us in another.
void keep_freed_memory();

}  // namespace groma
