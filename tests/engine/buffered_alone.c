// Exits with 1 if a persistent buffered send delivers something else than the array holds when it is started
// (Open MPI 4.1, beyond its eager limit).
#include <mpi.h>
#include <stdlib.h>

enum { elements = 5005 };

int main(int count, char** words) {
  static double own[elements];
  int rank, wrong = 0, size = 4 * sizeof own + 2 * MPI_BSEND_OVERHEAD;
  void* buffer = malloc(size);
  MPI_Request request;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Buffer_attach(buffer, size);
  if (rank == 0) MPI_Bsend_init(own, elements, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request);
  for (int round = 1; round <= 3; ++round) {
    for (int i = 0; i < elements; ++i) own[i] = rank == 0 ? 10000 * round + i : -1;
    if (rank == 0) {
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      for (int i = 0; i < elements; ++i) own[i] = 0;
    } else if (rank == 1) {
      MPI_Recv(own, elements, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int i = 0; i < elements; ++i) wrong |= own[i] != 10000 * round + i;
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0) MPI_Request_free(&request);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  MPI_Buffer_detach(&buffer, &size);
  MPI_Finalize();
  return wrong;
}
