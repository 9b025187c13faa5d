// Plants a fault in an MPI library, for the engine's tests: preloaded, it stands before the library's own calls.
//
//   GROMA_FAULT          corrupt: change one received byte; hang: never return; keep: reduce the result of
//   MPI_Allreduce
//                        with what the receive array held before
//   GROMA_FAULT_CALL     MPI_Recv, MPI_Bcast or MPI_Allreduce
//   GROMA_FAULT_RANK     the rank of MPI_COMM_WORLD that suffers it
//   GROMA_FAULT_BYTES    only messages of this length, so that the engine's own traffic is left alone
//   GROMA_FAULT_OFFSET   the byte to change (corrupt)
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long setting(const char* name) {
  const char* value = getenv(name);
  return value ? strtol(value, NULL, 10) : -1;
}

static int strikes(const char* fault, const char* call, int count, MPI_Datatype type) {
  const char* wanted_fault = getenv("GROMA_FAULT");
  const char* wanted_call = getenv("GROMA_FAULT_CALL");
  int rank = -1;
  int type_bytes = 0;
  if (!wanted_fault || !wanted_call || strcmp(wanted_fault, fault) != 0 || strcmp(wanted_call, call) != 0) return 0;
  PMPI_Type_size(type, &type_bytes);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == setting("GROMA_FAULT_RANK") && (long)count * type_bytes == setting("GROMA_FAULT_BYTES");
}

static void before(const char* call, int count, MPI_Datatype type) {
  while (strikes("hang", call, count, type)) sleep(3600);
}

static void after(const char* call, void* received, int count, MPI_Datatype type) {
  if (strikes("corrupt", call, count, type)) ((unsigned char*)received)[setting("GROMA_FAULT_OFFSET")] ^= 0x5a;
}

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  before("MPI_Recv", count, type);
  const int code = PMPI_Recv(buffer, count, type, source, tag, comm, status);
  after("MPI_Recv", buffer, count, type);
  return code;
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  before("MPI_Bcast", count, type);
  const int code = PMPI_Bcast(buffer, count, type, root, comm);
  after("MPI_Bcast", buffer, count, type);
  return code;
}

static int keeping(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm comm) {
  const long bytes = setting("GROMA_FAULT_BYTES");
  void* old = malloc(bytes);
  memcpy(old, receive, bytes);
  const int code = PMPI_Allreduce(send, receive, count, type, operation, comm);
  PMPI_Reduce_local(old, receive, count, type, operation);
  free(old);
  return code;
}

int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm comm) {
  if (strikes("keep", "MPI_Allreduce", count, type)) return keeping(send, receive, count, type, operation, comm);
  before("MPI_Allreduce", count, type);
  const int code = PMPI_Allreduce(send, receive, count, type, operation, comm);
  after("MPI_Allreduce", receive, count, type);
  return code;
}
