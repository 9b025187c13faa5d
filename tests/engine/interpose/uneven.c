// Makes broadcasts of one length last as long as asked on each rank, for tests of the distributions that Groma shows:
// preloaded, it stands before the library's own calls, and a rank stays in its call until the time has passed.
//
//   GROMA_UNEVEN_BYTES   broadcasts of this length only
//   GROMA_UNEVEN_US      how long they last, in us; each up to 6 % longer or shorter, mostly less
//   GROMA_UNEVEN_RANK    on this rank every second one lasts
//   GROMA_UNEVEN_OTHER   so long instead, in us
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

static double setting(const char* name) {
  const char* value = getenv(name);
  return value ? strtod(value, NULL) : -1;
}

static double now_us(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e6 * (double)time.tv_sec + 1e-3 * (double)time.tv_nsec;
}

/// Around 1: the sum of two numbers that are each as likely.
static double about_one(void) {
  static unsigned random = 1;
  double sum = 0;
  for (int i = 0; i < 2; ++i) {
    random = random * 1103515245u + 12345u;
    sum += (double)(random >> 16) / 65536;
  }
  return 1 + 0.06 * (sum - 1);
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  static long calls = 0;
  const double begin_us = now_us();
  const int code = PMPI_Bcast(buffer, count, type, root, comm);
  int type_bytes = 0;
  int rank = -1;
  PMPI_Type_size(type, &type_bytes);
  if ((double)count * type_bytes != setting("GROMA_UNEVEN_BYTES")) return code;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int other = rank == (int)setting("GROMA_UNEVEN_RANK") && ++calls % 2 == 0;
  const double end_us = begin_us + about_one() * setting(other ? "GROMA_UNEVEN_OTHER" : "GROMA_UNEVEN_US");
  while (now_us() < end_us) continue;
  return code;
}
