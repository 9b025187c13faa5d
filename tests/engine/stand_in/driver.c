// A driver of CUDA without a device, for tests; with -DHIP one of HIP. "Device" memory is mapped where nobody may read
// or write it, and once more where only this file does: whoever touches it but by a copy of the driver dies. With
// -DREACHABLE everyone may, as if each MPI library took it.
//
//   STAND_IN_DEVICES  how many devices there are (2)
//   STAND_IN_BYTES    what can be allocated on a device (1 GiB)
//   STAND_IN_LOST     the copy to the host with which STAND_IN_LOST_DEVICE is lost, counted from 1
//   STAND_IN_WRONG    1: bytes of device memory change before each copy to the host
//   STAND_IN_MPS      what the driver says of MPS: 0 or 1
//   STAND_IN_APART    1: devices do not reach each other's memory
//   STAND_IN_BROKEN   the code with which the driver does not start
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef HIP
#define NAME(cuda, hip) hip
#else
#define NAME(cuda, hip) cuda
#endif

#ifdef REACHABLE
#define ACCESS (PROT_READ | PROT_WRITE)
#else
#define ACCESS PROT_NONE
#endif

enum { invalid = 1, out_of_memory = 2, no_device = 100, lost = 719 };
enum { most = 256 };

static struct {
  unsigned char *device, *host;
  size_t bytes;
} regions[most];
static size_t allocated;
static long copies_to_host;
static int device_now, device_lost;

static long setting(const char* name, long otherwise) {
  const char* value = getenv(name);
  return value ? strtol(value, NULL, 10) : otherwise;
}

// Where the host may reach a place of device memory; the place itself if it is none.
void* stand_in_host(const void* place) {
  const unsigned char* at = place;
  for (int i = 0; i < most; ++i) {
    if (regions[i].bytes && at >= regions[i].device && at <= regions[i].device + regions[i].bytes) {
      return regions[i].host + (at - regions[i].device);
    }
  }
  return (void*)place;
}

int NAME(cuInit, hipInit)(unsigned flags) {
  if (setting("STAND_IN_BROKEN", 0)) return setting("STAND_IN_BROKEN", 0);
  return setting("STAND_IN_DEVICES", 2) > 0 ? (int)flags : no_device;
}
int NAME(cuDriverGetVersion, hipDriverGetVersion)(int* version) {
  *version = 12040;
  return 0;
}
int NAME(cuDeviceGetCount, hipGetDeviceCount)(int* count) {
  *count = setting("STAND_IN_DEVICES", 2);
  return 0;
}
int NAME(cuDeviceGetName, hipDeviceGetName)(char* name, int length, int device) {
  return snprintf(name, length, "Stand-in %d", device) < 0;
}
#ifndef OLD
int NAME(cuDeviceGetUuid, hipDeviceGetUuid)(unsigned char* uuid, int device) {
  memset(uuid, 0xA0 + device, 16);
  return 0;
}
#endif
int NAME(cuDeviceGetPCIBusId, hipDeviceGetPCIBusId)(char* address, int length, int device) {
  return snprintf(address, length, "FFFF:%02X:00.0", device) < 0;
}
int NAME(cuDeviceGetAttribute, hipDeviceGetAttribute)(int* value, int attribute, int device) {
  (void)device;
  switch (attribute) {
    case NAME(32, 0):  // ECC
      return *value = 1, 0;
    case NAME(20, 6):  // compute mode
      return *value = 0, 0;
    case NAME(13, 5):  // clock
      return *value = 1980000, 0;
    case NAME(133, -1):  // MPS
      return getenv("STAND_IN_MPS") ? (*value = setting("STAND_IN_MPS", 0), 0) : invalid;
    default:
      return invalid;
  }
}

static int allocate(void** start, size_t bytes) {
  if (allocated + bytes > (size_t)setting("STAND_IN_BYTES", 1L << 30)) return out_of_memory;
  int free_one = 0;
  while (free_one < most && regions[free_one].bytes) ++free_one;
  const int file = memfd_create("device", 0);
  if (free_one == most || file < 0 || ftruncate(file, bytes) != 0) return out_of_memory;
  regions[free_one].device = mmap(NULL, bytes, ACCESS, MAP_SHARED, file, 0);
  regions[free_one].host = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  regions[free_one].bytes = bytes;
  allocated += bytes;
  *start = regions[free_one].device;
  return 0;
}
int NAME(cuMemAlloc_v2, hipMalloc)(void** start, size_t bytes) { return allocate(start, bytes); }
int NAME(cuMemAllocManaged, hipMallocManaged)(void** start, size_t bytes, unsigned flags) {
  return flags == 1 ? allocate(start, bytes) : invalid;
}
int NAME(cuMemHostAlloc, hipHostMalloc)(void** start, size_t bytes, unsigned flags) {
  (void)flags;
  return posix_memalign(start, 4096, bytes) ? out_of_memory : 0;
}
int NAME(cuMemFree_v2, hipFree)(void* start) {
  for (int i = 0; i < most; ++i) {
    if (regions[i].device != start || !regions[i].bytes) continue;
    munmap(regions[i].device, regions[i].bytes);
    munmap(regions[i].host, regions[i].bytes);
    allocated -= regions[i].bytes;
    regions[i].bytes = 0;
    return 0;
  }
  return invalid;
}
int NAME(cuMemFreeHost, hipHostFree)(void* start) {
  free(start);
  return 0;
}
int NAME(cuMemGetInfo_v2, hipMemGetInfo)(size_t* left, size_t* all) {
  *all = setting("STAND_IN_BYTES", 1L << 30);
  *left = *all - allocated;
  return 0;
}

int NAME(cuMemcpyHtoD_v2, hipMemcpyHtoD)(void* to, const void* from, size_t bytes) {
  if (device_lost) return lost;
  memcpy(stand_in_host(to), from, bytes);
  return 0;
}
int NAME(cuMemcpyDtoH_v2, hipMemcpyDtoH)(void* to, const void* from, size_t bytes) {
  const int counted = device_now == setting("STAND_IN_LOST_DEVICE", 0);
  if (counted && ++copies_to_host == setting("STAND_IN_LOST", 0)) device_lost = 1;
  if (device_lost) return lost;
  unsigned char* own = stand_in_host(from);
  if (setting("STAND_IN_WRONG", 0)) {
    for (size_t i = 0; i < bytes; i += 7) own[i] ^= 0x11;
  }
  memcpy(to, own, bytes);
  return 0;
}
static int copy_within(void* to, const void* from, size_t bytes) {
  if (device_lost) return lost;
  memcpy(stand_in_host(to), stand_in_host(from), bytes);
  return 0;
}
int NAME(cuMemcpyDtoD_v2, hipMemcpyDtoD)(void* to, const void* from, size_t bytes) {
  return copy_within(to, from, bytes);
}
int NAME(cuMemsetD8_v2, hipMemsetD8)(void* start, unsigned char value, size_t bytes) {
  memset(stand_in_host(start), value, bytes);
  return 0;
}
int NAME(cuCtxSynchronize, hipDeviceSynchronize)(void) { return device_lost ? lost : 0; }
int NAME(cuDeviceCanAccessPeer, hipDeviceCanAccessPeer)(int* can, int device, int peer) {
  *can = device != peer && !getenv("STAND_IN_APART");
  return 0;
}
#ifdef HIP
int hipDeviceEnablePeerAccess(int peer, unsigned flags) { return peer == device_now ? invalid : (int)flags; }
int hipMemcpyPeer(void* to, int peer, const void* from, int device, size_t bytes) {
  return peer == device ? invalid : copy_within(to, from, bytes);
}
#else
int cuCtxEnablePeerAccess(void* peer, unsigned flags) {
  return (intptr_t)peer - 1 == device_now ? invalid : (int)flags;
}
int cuMemcpyPeer(void* to, void* peer, const void* from, void* context, size_t bytes) {
  return peer == context || !peer ? invalid : copy_within(to, from, bytes);
}
int cuDevicePrimaryCtxRelease(int device) { return device == device_now; }
#endif
// A stream has nothing left to do: whatever is put on one is done at once.
int NAME(cuStreamCreate, hipStreamCreateWithFlags)(void** stream, unsigned flags) {
  *stream = &allocated;
  return flags == 1 ? 0 : invalid;
}
int NAME(cuStreamSynchronize, hipStreamSynchronize)(void* stream) {
  return device_lost ? lost : stream == &allocated ? 0 : invalid;
}
int NAME(cuStreamDestroy_v2, hipStreamDestroy)(void* stream) { return stream == &allocated ? 0 : invalid; }
int NAME(cuGetErrorName, hipDrvGetErrorName)(int code, const char** name) {
  *name = code == out_of_memory ? "STAND_IN_OUT_OF_MEMORY" : code == lost ? "STAND_IN_DEVICE_LOST" : NULL;
  return *name == NULL;
}
#ifdef HIP
int hipSetDevice(int device) {
  device_now = device;
  return 0;
}
#else
int cuDevicePrimaryCtxRetain(void** context, int device) {
  *context = (void*)(intptr_t)(device + 1);
  return 0;
}
int cuCtxSetCurrent(void* context) {
  device_now = (int)(intptr_t)context - 1;
  return 0;
}
#endif
