// A get-accumulate of every second of 15 numbers, by rank 0 on rank 1. Exit code 0 if rank 0 gets what was there.
#include <mpi.h>
#include <stdint.h>

enum { numbers = 15, places = 2 * numbers };

int main(int argc, char** argv) {
  int rank = 0, right = 1;
  int32_t sent[places], fetched[places], held[places];
  MPI_Datatype every_second;
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int at = 0; at < places; ++at) {
    sent[at] = at;
    fetched[at] = -1;
    held[at] = 100 + at;
  }
  MPI_Type_vector(numbers, 1, 2, MPI_INT32_T, &every_second);
  MPI_Type_commit(&every_second);
  MPI_Win_create(held, sizeof held, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    MPI_Get_accumulate(sent, 1, every_second, fetched, 1, every_second, 1, 0, 1, every_second, MPI_SUM, window);
    MPI_Win_flush(1, window);
    for (int at = 0; at < places; at += 2) right = right && fetched[at] == 100 + at;
  }
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Type_free(&every_second);
  MPI_Finalize();
  return right ? 0 : 1;
}
