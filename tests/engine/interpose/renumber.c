// A library that numbers ranks anew where a Cartesian communicator allows it: in the opposite order.
#include <mpi.h>

int MPI_Cart_create(MPI_Comm comm, int dimensions, const int lengths[], const int periodic[], int reorder,
                    MPI_Comm* made) {
  if (!reorder) return PMPI_Cart_create(comm, dimensions, lengths, periodic, 0, made);
  int rank = 0;
  MPI_Comm opposite;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_split(comm, 0, -rank, &opposite);
  const int code = PMPI_Cart_create(opposite, dimensions, lengths, periodic, 0, made);
  PMPI_Comm_free(&opposite);
  return code;
}
