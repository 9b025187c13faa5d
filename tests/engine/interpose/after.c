// The first message after a collective call, except a barrier, is sent 100 ms late.
#include <mpi.h>
#include <time.h>

static int late;

int MPI_Allreduce(const void* s, void* r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c) {
  late = 1;
  return PMPI_Allreduce(s, r, n, t, o, c);
}

int MPI_Bcast(void* b, int n, MPI_Datatype t, int root, MPI_Comm c) {
  late = 1;
  return PMPI_Bcast(b, n, t, root, c);
}

int MPI_Send(const void* b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c) {
  if (late) {
    const struct timespec wait = {0, 100000000};
    nanosleep(&wait, 0);
    late = 0;
  }
  return PMPI_Send(b, n, t, to, tag, c);
}
