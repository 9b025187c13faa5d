// Plants a fault in hand-offs between cores, before the first point: preloaded, it stands before the system's own call.
//
//   GROMA_COPY_FAULT  hang: never return, while the other rank polls shared memory and is in no call of MPI;
//                     skip: copy nothing, so that the receiver keeps the message before
//   GROMA_COPY_RANK   the rank of MPI_COMM_WORLD that suffers it
//   GROMA_COPY_BYTES  only in copies of this length
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int strikes(const char* fault, size_t bytes) {
  const char* planted = getenv("GROMA_COPY_FAULT");
  int started = 0;
  int rank = -1;
  if (!planted || strcmp(planted, fault) != 0 || bytes != strtoul(getenv("GROMA_COPY_BYTES"), NULL, 10)) return 0;
  PMPI_Initialized(&started);
  if (started) PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == strtol(getenv("GROMA_COPY_RANK"), NULL, 10);
}

void* memcpy(void* to, const void* from, size_t bytes) {
  if (bytes > 4096) {
    while (strikes("hang", bytes)) sleep(3600);
    if (strikes("skip", bytes)) return to;
  }
  return memmove(to, from, bytes);
}
