// A persistent gather of one rank, started with other data than it was made with. Exit code 1 if the data of the time
// when the request was made arrive.
#include <mpi.h>

int main(int words, char** word) {
  int sent = 1, received = -1, wrong = 0;
  MPI_Request request;
  MPI_Init(&words, &word);
  MPI_Gather_init(&sent, 1, MPI_INT, &received, 1, MPI_INT, 0, MPI_COMM_SELF, MPI_INFO_NULL, &request);
  for (sent = 2; sent < 5; ++sent) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    wrong += received != sent;
  }
  MPI_Request_free(&request);
  MPI_Finalize();
  return wrong != 0;
}
