// Makes MPI_Send of an MPI library slower by DELAY_NS, which is compiled in: two builds of one library.
#include <mpi.h>
#include <time.h>

static long now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1000000000L * time.tv_sec + time.tv_nsec;
}

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  const long end_ns = now_ns() + DELAY_NS;
  while (now_ns() < end_ns) {
  }
  return PMPI_Send(buffer, count, type, to, tag, comm);
}
