// Changes the first byte that a nonblocking or persistent collective, or a partitioned message, has received, on every
// rank, when it is waited for: preloaded, it stands before the library's own calls.
//
//   GROMA_MADE   a file: at the end rank 0 writes how many persistent requests were made, and how many were freed
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { most = 65536 };

static struct {
  MPI_Request request;
  unsigned char* received;
  int persistent;
} known[most];
static int count, made, freed;

static void note(MPI_Request request, void* received, int persistent) {
  int at = 0;
  made += persistent;
  while (at < count && known[at].request != request) ++at;
  if (at == most) return;
  known[at].request = request;
  known[at].received = received;
  known[at].persistent = persistent;
  if (at == count) ++count;
}

static int place_of(MPI_Request request) {
  for (int at = 0; at < count; ++at) {
    if (known[at].request == request) return at;
  }
  return -1;
}

static void strike(int at) {
  if (at < 0) return;
  if (known[at].received != MPI_IN_PLACE && known[at].received != NULL) known[at].received[0] ^= 0x5a;
  if (!known[at].persistent) known[at].request = MPI_REQUEST_NULL;
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const int at = *request == MPI_REQUEST_NULL ? -1 : place_of(*request);
  const int code = PMPI_Wait(request, status);
  if (!getenv("GROMA_MADE")) strike(at);
  return code;
}

int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  const int at = *request == MPI_REQUEST_NULL ? -1 : place_of(*request);
  const int code = PMPI_Test(request, done, status);
  if (*done && !getenv("GROMA_MADE")) strike(at);
  return code;
}

int MPI_Request_free(MPI_Request* request) {
  const int at = place_of(*request);
  if (at >= 0 && known[at].persistent) {
    ++freed;
    known[at].request = MPI_REQUEST_NULL;
  }
  return PMPI_Request_free(request);
}

int MPI_Finalize(void) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* path = getenv("GROMA_MADE");
  FILE* file = path && rank == 0 ? fopen(path, "w") : NULL;
  if (file) {
    fprintf(file, "%d %d\n", made, freed);
    fclose(file);
  }
  return PMPI_Finalize();
}

/// Whether this rank is the one of this number: the root of a broadcast receives nothing.
static int is(int number, MPI_Comm comm) {
  int rank = -1;
  PMPI_Comm_rank(comm, &rank);
  return rank == number;
}

#define ALL(...) __VA_ARGS__
#define STARTED(lower, parameters, arguments, received)               \
  int MPI_I##lower(parameters, MPI_Comm comm, MPI_Request* request) { \
    const int code = PMPI_I##lower(arguments, comm, request);         \
    note(*request, received, 0);                                      \
    return code;                                                      \
  }
#ifdef GROMA_WITHOUT_PERSISTENT
#define MADE(upper, parameters, arguments, received)
#else
#define MADE(upper, parameters, arguments, received)                                       \
  int MPI_##upper##_init(parameters, MPI_Comm comm, MPI_Info info, MPI_Request* request) { \
    const int code = PMPI_##upper##_init(arguments, comm, info, request);                  \
    note(*request, received, 1);                                                           \
    return code;                                                                           \
  }
#endif
#define BOTH(lower, upper, parameters, arguments, received) \
  STARTED(lower, ALL(parameters), ALL(arguments), received) \
  MADE(upper, ALL(parameters), ALL(arguments), received)

#ifndef GROMA_WITHOUT_PERSISTENT
int MPI_Precv_init(void* r, int parts, MPI_Count n, MPI_Datatype t, int from, int tag, MPI_Comm comm, MPI_Info info,
                   MPI_Request* request) {
  const int code = PMPI_Precv_init(r, parts, n, t, from, tag, comm, info, request);
  note(*request, r, 1);
  return code;
}
#endif

#define ONE_SENT const void *s, int n, MPI_Datatype t
#define MANY_SENT const void *s, const int *n, const int *b, MPI_Datatype t
#define ONE_RECEIVED void *r, int m, MPI_Datatype u
#define MANY_RECEIVED void *r, const int *m, const int *d, MPI_Datatype u

BOTH(bcast, Bcast, ALL(void* r, int n, MPI_Datatype t, int root), ALL(r, n, t, root), is(root, comm) ? NULL : r)
BOTH(reduce, Reduce, ALL(const void* s, void* r, int n, MPI_Datatype t, MPI_Op o, int root), ALL(s, r, n, t, o, root),
     r)
BOTH(allreduce, Allreduce, ALL(const void* s, void* r, int n, MPI_Datatype t, MPI_Op o), ALL(s, r, n, t, o), r)
BOTH(scan, Scan, ALL(const void* s, void* r, int n, MPI_Datatype t, MPI_Op o), ALL(s, r, n, t, o), r)
BOTH(exscan, Exscan, ALL(const void* s, void* r, int n, MPI_Datatype t, MPI_Op o), ALL(s, r, n, t, o), r)
BOTH(reduce_scatter, Reduce_scatter, ALL(const void* s, void* r, const int* n, MPI_Datatype t, MPI_Op o),
     ALL(s, r, n, t, o), r)
BOTH(reduce_scatter_block, Reduce_scatter_block, ALL(const void* s, void* r, int n, MPI_Datatype t, MPI_Op o),
     ALL(s, r, n, t, o), r)
BOTH(allgather, Allgather, ALL(ONE_SENT, ONE_RECEIVED), ALL(s, n, t, r, m, u), r)
BOTH(allgatherv, Allgatherv, ALL(ONE_SENT, MANY_RECEIVED), ALL(s, n, t, r, m, d, u), r)
BOTH(gather, Gather, ALL(ONE_SENT, ONE_RECEIVED, int root), ALL(s, n, t, r, m, u, root), r)
BOTH(gatherv, Gatherv, ALL(ONE_SENT, MANY_RECEIVED, int root), ALL(s, n, t, r, m, d, u, root), r)
BOTH(scatter, Scatter, ALL(ONE_SENT, ONE_RECEIVED, int root), ALL(s, n, t, r, m, u, root), r)
BOTH(scatterv, Scatterv, ALL(MANY_SENT, ONE_RECEIVED, int root), ALL(s, n, b, t, r, m, u, root), r)
BOTH(alltoall, Alltoall, ALL(ONE_SENT, ONE_RECEIVED), ALL(s, n, t, r, m, u), r)
BOTH(alltoallv, Alltoallv, ALL(MANY_SENT, MANY_RECEIVED), ALL(s, n, b, t, r, m, d, u), r)
BOTH(alltoallw, Alltoallw,
     ALL(const void* s, const int* n, const int* b, const MPI_Datatype* t, void* r, const int* m, const int* d,
         const MPI_Datatype* u),
     ALL(s, n, b, t, r, m, d, u), r)
BOTH(neighbor_allgather, Neighbor_allgather, ALL(ONE_SENT, ONE_RECEIVED), ALL(s, n, t, r, m, u), r)
BOTH(neighbor_allgatherv, Neighbor_allgatherv, ALL(ONE_SENT, MANY_RECEIVED), ALL(s, n, t, r, m, d, u), r)
BOTH(neighbor_alltoall, Neighbor_alltoall, ALL(ONE_SENT, ONE_RECEIVED), ALL(s, n, t, r, m, u), r)
BOTH(neighbor_alltoallv, Neighbor_alltoallv, ALL(MANY_SENT, MANY_RECEIVED), ALL(s, n, b, t, r, m, d, u), r)
BOTH(neighbor_alltoallw, Neighbor_alltoallw,
     ALL(const void* s, const int* n, const MPI_Aint* b, const MPI_Datatype* t, void* r, const int* m,
         const MPI_Aint* d, const MPI_Datatype* u),
     ALL(s, n, b, t, r, m, d, u), r)
