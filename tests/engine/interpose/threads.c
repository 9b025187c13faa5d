// Changes the first byte that a thread other than the first has received by MPI_Recv, MPI_Sendrecv, MPI_Waitall or a
// blocking collective: preloaded, it stands before the library's own calls.
#define _GNU_SOURCE
#include <mpi.h>
#include <sys/syscall.h>
#include <unistd.h>

static __thread void* awaited;  // of the first MPI_Irecv since the last MPI_Waitall

static int strikes(void) { return syscall(SYS_gettid) != getpid(); }

static void strike(void* received, long bytes) {
  if (strikes() && received && bytes > 0) *(unsigned char*)received ^= 0x5a;
}

int MPI_Recv(void* data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  const int code = PMPI_Recv(data, count, type, source, tag, comm, status);
  strike(data, count);
  return code;
}

int MPI_Sendrecv(const void* own, int count, MPI_Datatype type, int to, int tag, void* data, int received,
                 MPI_Datatype of_them, int from, int their_tag, MPI_Comm comm, MPI_Status* status) {
  const int code = PMPI_Sendrecv(own, count, type, to, tag, data, received, of_them, from, their_tag, comm, status);
  strike(data, received);
  return code;
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  if (!awaited) awaited = data;
  return PMPI_Irecv(data, count, type, source, tag, comm, request);
}

int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  const int code = PMPI_Waitall(count, requests, statuses);
  strike(awaited, 1);
  awaited = NULL;
  return code;
}

int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  const int code = PMPI_Bcast(data, count, type, root, comm);
  strike(data, count);
  return code;
}

int MPI_Reduce(const void* own, void* data, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  const int code = PMPI_Reduce(own, data, count, type, op, root, comm);
  strike(data, count);
  return code;
}

int MPI_Allreduce(const void* own, void* data, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  const int code = PMPI_Allreduce(own, data, count, type, op, comm);
  strike(data, count);
  return code;
}

int MPI_Allgather(const void* own, int count, MPI_Datatype type, void* data, int received, MPI_Datatype of_them,
                  MPI_Comm comm) {
  const int code = PMPI_Allgather(own, count, type, data, received, of_them, comm);
  strike(data, received);
  return code;
}

int MPI_Alltoall(const void* own, int count, MPI_Datatype type, void* data, int received, MPI_Datatype of_them,
                 MPI_Comm comm) {
  const int code = PMPI_Alltoall(own, count, type, data, received, of_them, comm);
  strike(data, received);
  return code;
}
