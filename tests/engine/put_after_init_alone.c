// A put with a request, after a persistent collective was made and freed. Exit code 0 if both end and the bytes arrive.
#include <mpi.h>

int main(int words, char** word) {
  int rank = 0, sent = 7, received = 0, held = 0;
  MPI_Request request;
  MPI_Win window;
  MPI_Init(&words, &word);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce_init(&sent, &received, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  MPI_Win_create(&held, sizeof held, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_lock_all(0, window);
  MPI_Rput(&sent, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window, &request);
  MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return held != 7;
}
