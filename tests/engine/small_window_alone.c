// A put by rank 0 into windows of MPI_Win_allocate on rank 1, from 8 bytes on. Exit code 0 if all arrive there.
#include <mpi.h>
#include <string.h>

int main(int argc, char** argv) {
  enum { most = 64 };
  char sent[most], *own = 0;
  int rank = 0, right = 1;
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  memset(sent, 72, most);
  for (int bytes = 8; bytes <= most; bytes *= 2) {
    MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &window);
    memset(own, 1, bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    if (rank == 0) MPI_Put(sent, bytes, MPI_BYTE, 1, 0, bytes, MPI_BYTE, window);
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) right = right && memcmp(own, sent, bytes) == 0;
    MPI_Win_free(&window);
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
