// A disk that is full after the first megabyte of a file.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sys/types.h>

#define WRITES(name)                                                          \
  ssize_t name(int file, const void* bytes, size_t count, off_t offset) {     \
    if (offset + (off_t)count > 1 << 20) {                                    \
      errno = ENOSPC;                                                         \
      return -1;                                                              \
    }                                                                         \
    ssize_t (*own)(int, const void*, size_t, off_t) =                         \
        (ssize_t(*)(int, const void*, size_t, off_t))dlsym(RTLD_NEXT, #name); \
    return own(file, bytes, count, offset);                                   \
  }
WRITES(pwrite)
WRITES(pwrite64)
