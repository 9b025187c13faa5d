// Leaves out the last element of every one-sided call, or has one that acts on one element leave the target as it is.
// A call of one 64-bit number goes through: it is the flag by which a target sees a message.
#include <mpi.h>

static int fewer(int count, MPI_Datatype type) { return count == 1 && type == MPI_INT64_T ? count : count - 1; }

#define ORIGIN const void *o, int n, MPI_Datatype t
#define FETCHED void *r, int k, MPI_Datatype u
#define TARGET int rank, MPI_Aint at, int m, MPI_Datatype v
#define LESS(counted, type) fewer(counted, type), type

int MPI_Put(ORIGIN, TARGET, MPI_Win w) { return PMPI_Put(o, LESS(n, t), rank, at, LESS(m, v), w); }
int MPI_Rput(ORIGIN, TARGET, MPI_Win w, MPI_Request* q) { return PMPI_Rput(o, LESS(n, t), rank, at, LESS(m, v), w, q); }
int MPI_Get(void* o, int n, MPI_Datatype t, TARGET, MPI_Win w) {
  return PMPI_Get(o, LESS(n, t), rank, at, LESS(m, v), w);
}
int MPI_Rget(void* o, int n, MPI_Datatype t, TARGET, MPI_Win w, MPI_Request* q) {
  return PMPI_Rget(o, LESS(n, t), rank, at, LESS(m, v), w, q);
}
int MPI_Accumulate(ORIGIN, TARGET, MPI_Op op, MPI_Win w) {
  return PMPI_Accumulate(o, LESS(n, t), rank, at, LESS(m, v), op, w);
}
int MPI_Raccumulate(ORIGIN, TARGET, MPI_Op op, MPI_Win w, MPI_Request* q) {
  return PMPI_Raccumulate(o, LESS(n, t), rank, at, LESS(m, v), op, w, q);
}
int MPI_Get_accumulate(ORIGIN, FETCHED, TARGET, MPI_Op op, MPI_Win w) {
  return PMPI_Get_accumulate(o, LESS(n, t), r, LESS(k, u), rank, at, LESS(m, v), op, w);
}
int MPI_Rget_accumulate(ORIGIN, FETCHED, TARGET, MPI_Op op, MPI_Win w, MPI_Request* q) {
  return PMPI_Rget_accumulate(o, LESS(n, t), r, LESS(k, u), rank, at, LESS(m, v), op, w, q);
}
int MPI_Fetch_and_op(const void* o, void* r, MPI_Datatype t, int rank, MPI_Aint at, MPI_Op op, MPI_Win w) {
  (void)op;
  return PMPI_Fetch_and_op(o, r, t, rank, at, MPI_NO_OP, w);
}
int MPI_Compare_and_swap(const void* o, const void* c, void* r, MPI_Datatype t, int rank, MPI_Aint at, MPI_Win w) {
  (void)o;
  return PMPI_Compare_and_swap(c, c, r, t, rank, at, w);
}
