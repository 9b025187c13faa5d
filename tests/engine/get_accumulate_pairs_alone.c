// A get-accumulate of 13 pairs of a number and a place, by rank 0 on rank 1, which keeps the smaller ones. Exit code 0
// if rank 0 gets what was there and rank 1 then has the smaller ones.
#include <mpi.h>
#include <string.h>

enum { pairs = 13 };

typedef struct {
  double number;
  int place;
} Pair;

int main(int argc, char** argv) {
  int rank = 0, right = 1;
  Pair sent[pairs], fetched[pairs], held[pairs];
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  memset(fetched, 0, sizeof fetched);
  for (int at = 0; at < pairs; ++at) {
    sent[at] = (Pair){.number = 100 - at, .place = at};
    held[at] = (Pair){.number = 90.5 + at, .place = 50 + at};
  }
  MPI_Win_create(held, sizeof held, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    MPI_Get_accumulate(sent, pairs, MPI_DOUBLE_INT, fetched, pairs, MPI_DOUBLE_INT, 1, 0, pairs, MPI_DOUBLE_INT,
                       MPI_MINLOC, window);
    MPI_Win_flush(1, window);
    for (int at = 0; at < pairs; ++at) right = right && fetched[at].number == 90.5 + at && fetched[at].place == 50 + at;
  }
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  for (int at = 0; rank == 1 && at < pairs; ++at) {
    const int smaller = 100 - at < 90.5 + at;
    right = right && held[at].number == (smaller ? 100 - at : 90.5 + at) && held[at].place == (smaller ? at : 50 + at);
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
