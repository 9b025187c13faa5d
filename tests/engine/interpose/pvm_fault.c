// Plants a fault in PVM, for the tests of lbw-pvm: preloaded, it changes one byte of every received message of
// GROMA_FAULT_BYTES bytes, at GROMA_FAULT_OFFSET.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

static long setting(const char* name) {
  const char* value = getenv(name);
  return value ? strtol(value, NULL, 10) : -1;
}

int pvm_precv(int task, int tag, char* received, int count, int type, int* from, int* got_tag, int* got_count) {
  int (*next)(int, int, char*, int, int, int*, int*, int*) = dlsym(RTLD_NEXT, "pvm_precv");
  const int code = next(task, tag, received, count, type, from, got_tag, got_count);
  if (count == setting("GROMA_FAULT_BYTES")) received[setting("GROMA_FAULT_OFFSET")] ^= 0x5a;
  return code;
}
