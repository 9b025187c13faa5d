// Makes any MPI library take device memory of the stand-in (tests/engine/stand_in/driver.c): preloaded, it stands
// before every call with messages and gives the library the place where the host may reach them.
//
//   STAND_IN_REFUSES  a call that ends its rank if it is given device memory, as libraries do that cannot
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

typedef void* (*Finder)(const void*);

static void* at(const char* call, const void* place) {
  static Finder finders[2];
  static const char* const drivers[2] = {"libcuda.so.1", "libamdhip64.so.6"};
  if (place == MPI_IN_PLACE) return (void*)place;
  for (int i = 0; i < 2; ++i) {
    if (!finders[i]) {
      void* driver = dlopen(drivers[i], RTLD_NOW | RTLD_NOLOAD);
      if (driver) finders[i] = (Finder)dlsym(driver, "stand_in_host");
    }
    void* found = finders[i] ? finders[i](place) : (void*)place;
    if (found == place) continue;
    const char* refused = getenv("STAND_IN_REFUSES");
    if (refused && strcmp(refused, call) == 0) abort();
    return found;
  }
  return (void*)place;
}

#define CALL(name, parameters, arguments) \
  int MPI_##name parameters { return PMPI_##name arguments; }
#define REQUEST MPI_Request* request
#define AT(name, place) at("MPI_" #name, place)

// Point to point.
#define SENT const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c
#define GOT void *b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c
CALL(Send, (SENT), (AT(Send, b), n, t, to, tag, c))
CALL(Bsend, (SENT), (AT(Bsend, b), n, t, to, tag, c))
CALL(Ssend, (SENT), (AT(Ssend, b), n, t, to, tag, c))
CALL(Rsend, (SENT), (AT(Rsend, b), n, t, to, tag, c))
CALL(Isend, (SENT, REQUEST), (AT(Isend, b), n, t, to, tag, c, request))
CALL(Ibsend, (SENT, REQUEST), (AT(Ibsend, b), n, t, to, tag, c, request))
CALL(Issend, (SENT, REQUEST), (AT(Issend, b), n, t, to, tag, c, request))
CALL(Irsend, (SENT, REQUEST), (AT(Irsend, b), n, t, to, tag, c, request))
CALL(Send_init, (SENT, REQUEST), (AT(Send_init, b), n, t, to, tag, c, request))
CALL(Ssend_init, (SENT, REQUEST), (AT(Ssend_init, b), n, t, to, tag, c, request))
CALL(Bsend_init, (SENT, REQUEST), (AT(Bsend_init, b), n, t, to, tag, c, request))
CALL(Rsend_init, (SENT, REQUEST), (AT(Rsend_init, b), n, t, to, tag, c, request))
CALL(Recv, (GOT, MPI_Status* s), (AT(Recv, b), n, t, from, tag, c, s))
CALL(Irecv, (GOT, REQUEST), (AT(Irecv, b), n, t, from, tag, c, request))
CALL(Recv_init, (GOT, REQUEST), (AT(Recv_init, b), n, t, from, tag, c, request))
CALL(Mrecv, (void* b, int n, MPI_Datatype t, MPI_Message* m, MPI_Status* s), (AT(Mrecv, b), n, t, m, s))
CALL(Imrecv, (void* b, int n, MPI_Datatype t, MPI_Message* m, REQUEST), (AT(Imrecv, b), n, t, m, request))
#define BOTH \
  const void *b, int n, MPI_Datatype t, int to, int tag, void *r, int m, MPI_Datatype u, int from, int its, MPI_Comm c
CALL(Sendrecv, (BOTH, MPI_Status* s), (AT(Sendrecv, b), n, t, to, tag, AT(Sendrecv, r), m, u, from, its, c, s))
#if MPI_VERSION >= 4
CALL(Isendrecv, (BOTH, REQUEST), (AT(Isendrecv, b), n, t, to, tag, AT(Isendrecv, r), m, u, from, its, c, request))
#endif

// Collectives, in their three forms.
#define LIST(...) __VA_ARGS__
#if MPI_VERSION >= 4
#define FORMS(name, i_name, parameters, arguments)          \
  CALL(name, (parameters), (arguments))                     \
  CALL(i_name, (parameters, REQUEST), (arguments, request)) \
  CALL(name##_init, (parameters, MPI_Info info, REQUEST), (arguments, info, request))
#else
#define FORMS(name, i_name, parameters, arguments) \
  CALL(name, (parameters), (arguments))            \
  CALL(i_name, (parameters, REQUEST), (arguments, request))
#endif
#define S(name) AT(name, b)
#define R(name) AT(name, r)
#define EVEN const void *b, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u
#define COUNTS const int *m, const int *d
FORMS(Bcast, Ibcast, LIST(void* b, int n, MPI_Datatype t, int root, MPI_Comm c), LIST(S(Bcast), n, t, root, c))
#define REDUCED const void *b, void *r, int n, MPI_Datatype t, MPI_Op o
FORMS(Reduce, Ireduce, LIST(REDUCED, int root, MPI_Comm c), LIST(S(Reduce), R(Reduce), n, t, o, root, c))
FORMS(Allreduce, Iallreduce, LIST(REDUCED, MPI_Comm c), LIST(S(Allreduce), R(Allreduce), n, t, o, c))
FORMS(Scan, Iscan, LIST(REDUCED, MPI_Comm c), LIST(S(Scan), R(Scan), n, t, o, c))
FORMS(Exscan, Iexscan, LIST(REDUCED, MPI_Comm c), LIST(S(Exscan), R(Exscan), n, t, o, c))
FORMS(Reduce_scatter_block, Ireduce_scatter_block, LIST(REDUCED, MPI_Comm c),
      LIST(S(Reduce_scatter_block), R(Reduce_scatter_block), n, t, o, c))
FORMS(Reduce_scatter, Ireduce_scatter, LIST(const void* b, void* r, const int* n, MPI_Datatype t, MPI_Op o, MPI_Comm c),
      LIST(S(Reduce_scatter), R(Reduce_scatter), n, t, o, c))
FORMS(Gather, Igather, LIST(EVEN, int root, MPI_Comm c), LIST(S(Gather), n, t, R(Gather), m, u, root, c))
FORMS(Scatter, Iscatter, LIST(EVEN, int root, MPI_Comm c), LIST(S(Scatter), n, t, R(Scatter), m, u, root, c))
FORMS(Allgather, Iallgather, LIST(EVEN, MPI_Comm c), LIST(S(Allgather), n, t, R(Allgather), m, u, c))
FORMS(Alltoall, Ialltoall, LIST(EVEN, MPI_Comm c), LIST(S(Alltoall), n, t, R(Alltoall), m, u, c))
FORMS(Neighbor_allgather, Ineighbor_allgather, LIST(EVEN, MPI_Comm c),
      LIST(S(Neighbor_allgather), n, t, R(Neighbor_allgather), m, u, c))
FORMS(Neighbor_alltoall, Ineighbor_alltoall, LIST(EVEN, MPI_Comm c),
      LIST(S(Neighbor_alltoall), n, t, R(Neighbor_alltoall), m, u, c))
#define TO_LENGTHS const void *b, int n, MPI_Datatype t, void *r, COUNTS, MPI_Datatype u
FORMS(Gatherv, Igatherv, LIST(TO_LENGTHS, int root, MPI_Comm c), LIST(S(Gatherv), n, t, R(Gatherv), m, d, u, root, c))
FORMS(Allgatherv, Iallgatherv, LIST(TO_LENGTHS, MPI_Comm c), LIST(S(Allgatherv), n, t, R(Allgatherv), m, d, u, c))
FORMS(Neighbor_allgatherv, Ineighbor_allgatherv, LIST(TO_LENGTHS, MPI_Comm c),
      LIST(S(Neighbor_allgatherv), n, t, R(Neighbor_allgatherv), m, d, u, c))
FORMS(Scatterv, Iscatterv,
      LIST(const void* b, COUNTS, MPI_Datatype t, void* r, int n, MPI_Datatype u, int root, MPI_Comm c),
      LIST(S(Scatterv), m, d, t, R(Scatterv), n, u, root, c))
#define OF_LENGTHS const void *b, const int *n, const int *e, MPI_Datatype t, void *r, COUNTS, MPI_Datatype u
FORMS(Alltoallv, Ialltoallv, LIST(OF_LENGTHS, MPI_Comm c), LIST(S(Alltoallv), n, e, t, R(Alltoallv), m, d, u, c))
FORMS(Neighbor_alltoallv, Ineighbor_alltoallv, LIST(OF_LENGTHS, MPI_Comm c),
      LIST(S(Neighbor_alltoallv), n, e, t, R(Neighbor_alltoallv), m, d, u, c))
FORMS(Alltoallw, Ialltoallw,
      LIST(const void* b, const int* n, const int* e, const MPI_Datatype* t, void* r, COUNTS, const MPI_Datatype* u,
           MPI_Comm c),
      LIST(S(Alltoallw), n, e, t, R(Alltoallw), m, d, u, c))
FORMS(Neighbor_alltoallw, Ineighbor_alltoallw,
      LIST(const void* b, const int* n, const MPI_Aint* e, const MPI_Datatype* t, void* r, const int* m,
           const MPI_Aint* d, const MPI_Datatype* u, MPI_Comm c),
      LIST(S(Neighbor_alltoallw), n, e, t, R(Neighbor_alltoallw), m, d, u, c))
