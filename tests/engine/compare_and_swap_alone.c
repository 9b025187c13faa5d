// A compare-and-swap on memory of MPI_Win_allocate, by rank 0 on rank 1. Exit code 0 if it arrives.
#include <mpi.h>
#include <stdint.h>

int main(int argc, char** argv) {
  int rank = 0;
  int64_t *held = 0, expected = 0, replacement = 1, found = -1;
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(sizeof *held, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &held, &window);
  *held = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    MPI_Compare_and_swap(&replacement, &expected, &found, MPI_INT64_T, 1, 0, window);
    MPI_Win_flush(1, window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(window);
  const int right = rank == 0 ? found == 0 : *held == 1;
  MPI_Win_free(&window);
  MPI_Finalize();
  return right ? 0 : 1;
}
