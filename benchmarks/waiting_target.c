// Puts of 1 KiB by rank 0 to rank 1, each flushed, while rank 1 waits in a barrier of the window's communicator and in
// one of another. Prints the two times in us. With Intel MPI 2021.18 by libmpi_abi.so.1 the second is 13 in place of
// 0.8; by libmpi.so.12 both are 1.1.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { bytes = 1024, calls = 1000 };

static double put_us(MPI_Win window, MPI_Comm waiting, int rank) {
  static char sent[bytes];
  MPI_Barrier(waiting);
  const double start = MPI_Wtime();
  for (int i = 0; rank == 0 && i < calls; ++i) {
    MPI_Put(sent, bytes, MPI_BYTE, 1, 0, bytes, MPI_BYTE, window);
    MPI_Win_flush(1, window);
  }
  const double taken_us = (MPI_Wtime() - start) / calls * 1e6;
  MPI_Barrier(waiting);
  return taken_us;
}

int main(int argc, char** argv) {
  static char array[bytes];
  int rank = 0;
  MPI_Comm own, other;
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  memset(array, 1, bytes);
  MPI_Win_create(array, bytes, 1, MPI_INFO_NULL, own, &window);
  MPI_Win_lock_all(0, window);
  put_us(window, own, rank);
  const double same_us = put_us(window, own, rank);
  put_us(window, other, rank);
  const double apart_us = put_us(window, other, rank);
  if (rank == 0) printf("%.2f %.2f\n", same_us, apart_us);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
