// MPI_BAND of 64-bit integers by rank 0 in the memory of rank 1. Exit code 0 if rank 1 then has what it should: Open
// MPI 5.0.11 leaves its memory as it was.
#include <mpi.h>
#include <stdint.h>

int main(int argc, char** argv) {
  int rank = 0;
  int64_t sent = 10, fetched = 0, held[2] = {12, 12};
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_create(held, sizeof held, sizeof *held, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  if (rank == 0) {
    MPI_Accumulate(&sent, 1, MPI_INT64_T, 1, 0, 1, MPI_INT64_T, MPI_BAND, window);
    MPI_Fetch_and_op(&sent, &fetched, MPI_INT64_T, 1, 1, MPI_BAND, window);
  }
  MPI_Win_fence(0, window);
  const int right = rank == 0 || (held[0] == 8 && held[1] == 8);
  MPI_Win_free(&window);
  MPI_Finalize();
  return right ? 0 : 1;
}
