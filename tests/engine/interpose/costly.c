// Makes MPI_Barrier of an MPI library take COST_NS longer, which is compiled in: a library whose cost a commit changes.
#include <mpi.h>
#include <time.h>

static long now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1000000000L * time.tv_sec + time.tv_nsec;
}

int MPI_Barrier(MPI_Comm comm) {
  const int code = PMPI_Barrier(comm);
  const long end_ns = now_ns() + COST_NS;
  while (now_ns() < end_ns) {
  }
  return code;
}
