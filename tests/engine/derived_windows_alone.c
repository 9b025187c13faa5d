// Puts of a strided datatype by rank 0, each in a window of its own, which is freed. Exit code 0 if all ends well: Open
// MPI 5.0.11 dies in most runs, as a part of a put arrives after its window was freed.
#include <mpi.h>

enum { blocks = 5005, windows = 40, puts = 8 };

int main(int argc, char** argv) {
  static double held[2 * blocks], sent[2 * blocks];
  int rank = 0;
  MPI_Datatype strided;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_vector(blocks, 1, 2, MPI_DOUBLE, &strided);
  MPI_Type_commit(&strided);
  for (int made = 0; made < windows; ++made) {
    MPI_Win window;
    MPI_Win_create(held, sizeof held, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock_all(0, window);
    for (int put = 0; rank == 0 && put < puts; ++put) {
      MPI_Put(sent, 1, strided, 1, 0, 1, strided, window);
      MPI_Win_flush(1, window);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
  }
  MPI_Type_free(&strided);
  MPI_Finalize();
  return 0;
}
