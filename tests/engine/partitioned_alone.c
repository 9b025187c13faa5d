// Exits with 1 if a message in partitions of a type with a gap does not arrive whole (Open MPI 5.0 loses its end).
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  struct {
    double value;
    int place;
  } data[13];
  int rank, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 13; ++i) data[i].value = rank ? -1.0 : i, data[i].place = rank ? -1 : i;
  MPI_Request request;
  if (rank == 0) {
    MPI_Psend_init(data, 13, 1, MPI_DOUBLE_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Pready_range(0, 12, request);
  } else {
    MPI_Precv_init(data, 13, 1, MPI_DOUBLE_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < 13; ++i) wrong += data[i].value != i || data[i].place != i;
  MPI_Request_free(&request);
  MPI_Finalize();
  return wrong != 0;
}
