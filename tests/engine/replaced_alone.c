// Exits with 1 if MPI_Isendrecv_replace of a derived datatype does not deliver what the other rank had (MPICH 5.0).
#include <mpi.h>

enum { elements = 5005 };

int main(int count, char** words) {
  static double own[2 * elements];
  int rank, wrong = 0;
  MPI_Datatype every_second;
  MPI_Request request;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_vector(elements, 1, 2, MPI_DOUBLE, &every_second);
  MPI_Type_commit(&every_second);
  for (int i = 0; i < 2 * elements; ++i) own[i] = 10000 * rank + i;
  MPI_Isendrecv_replace(own, 1, every_second, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < 2 * elements; i += 2) wrong |= own[i] != 10000 * (1 - rank) + i;
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  MPI_Finalize();
  return wrong;
}
