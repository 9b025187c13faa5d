// Makes an MPI library slower by a known amount, for tests of what Groma reports: preloaded, it stands before the
// library's own calls.
//
//   GROMA_SLOW_ANY_SOURCE_NS   added to every MPI_Recv from MPI_ANY_SOURCE
//   GROMA_SLOW_BARRIER_NS      added to every MPI_Barrier
//   GROMA_TRANSPORT_NS         how long an exchange posted by MPI_Isend takes at least: a transport of our own,
//   GROMA_TRANSPORT_BYTES      for messages of this length only,
//   GROMA_TRANSPORT_PROGRESS   of which this share gets done while the rank is in no MPI call
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

static double setting(const char* name) {
  const char* value = getenv(name);
  return value ? strtod(value, NULL) : 0;
}

static double now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static void spin(double ns) {
  const double begin = now_ns();
  while (now_ns() - begin < ns) {
  }
}

static double posted_ns = 0;
static double any_source_ns = -1;
static double barrier_ns = -1;

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  if (any_source_ns < 0) any_source_ns = setting("GROMA_SLOW_ANY_SOURCE_NS");  // once: reading it takes time itself
  const int code = PMPI_Recv(buffer, count, type, source, tag, comm, status);
  if (source == MPI_ANY_SOURCE) spin(any_source_ns);
  return code;
}

int MPI_Barrier(MPI_Comm comm) {
  if (barrier_ns < 0) barrier_ns = setting("GROMA_SLOW_BARRIER_NS");
  const int code = PMPI_Barrier(comm);
  spin(barrier_ns);
  return code;
}

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  int type_bytes = 0;
  PMPI_Type_size(type, &type_bytes);
  if ((double)count * type_bytes == setting("GROMA_TRANSPORT_BYTES")) posted_ns = now_ns();
  return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  if (posted_ns > 0) {
    spin(setting("GROMA_TRANSPORT_NS") - setting("GROMA_TRANSPORT_PROGRESS") * (now_ns() - posted_ns));
    posted_ns = 0;
  }
  return PMPI_Waitall(count, requests, statuses);
}
