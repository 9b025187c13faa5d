// Holds one rank up for ever before the first point, for tests of the watchdog: preloaded, it stands before the
// system's own call. The engine asks how much room /dev/shm has before two ranks hand messages to each other.
//
//   GROMA_STUCK_RANK  the rank of MPI_COMM_WORLD that never returns
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

int statvfs(const char* path, struct statvfs* found) {
  int (*own)(const char*, struct statvfs*) = (int (*)(const char*, struct statvfs*))dlsym(RTLD_NEXT, "statvfs");
  const char* stuck = getenv("GROMA_STUCK_RANK");
  int started = 0;
  int rank = -1;
  PMPI_Initialized(&started);
  if (started) PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  while (stuck && rank == strtol(stuck, NULL, 10) && strcmp(path, "/dev/shm") == 0) sleep(3600);
  return own(path, found);
}
