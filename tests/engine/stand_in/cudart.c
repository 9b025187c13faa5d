// CUDA's runtime as far as Intel's IMB-MPI1-GPU calls it, for tests: its "device" memory is the host's.
#include <stdlib.h>
#include <string.h>

int cudaGetDeviceCount(int* count) { return *count = 1, 0; }
int cudaMalloc(void** start, size_t bytes) { return (*start = calloc(1, bytes)) == NULL; }
int cudaMallocHost(void** start, size_t bytes) { return cudaMalloc(start, bytes); }
int cudaMallocManaged(void** start, size_t bytes, unsigned flags) { return flags == 1 ? cudaMalloc(start, bytes) : 1; }
int cudaFree(void* start) { return free(start), 0; }
int cudaFreeHost(void* start) { return free(start), 0; }
int cudaMemcpyAsync(void* to, const void* from, size_t bytes, int kind, void* stream) {
  (void)stream;
  memmove(to, from, bytes);
  return kind != 4;  // cudaMemcpyDefault
}
int cudaStreamCreate(void** stream) { return *stream = (void*)1, 0; }
int cudaStreamDestroy(void* stream) { return stream == NULL; }
int cudaStreamSynchronize(void* stream) { return (void)stream, 0; }
