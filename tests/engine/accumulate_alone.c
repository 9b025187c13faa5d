// Accumulates by rank 0 on rank 1 of numbers that have two parts: complex ones, and pairs of a number and a place. Exit
// code 0 if rank 1 then has what it should.
#include <mpi.h>

enum { numbers = 13 };

typedef struct {
  double number;
  int place;
} Pair;

int main(int argc, char** argv) {
  int rank = 0, right = 1;
  float complex_sent[2 * numbers], complex_held[2 * numbers];
  Pair sent[numbers], held[numbers];
  MPI_Win complex_window, window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int at = 0; at < numbers; ++at) {
    complex_sent[2 * at] = complex_held[2 * at] = (float)at;
    complex_sent[2 * at + 1] = complex_held[2 * at + 1] = 1;
    sent[at] = (Pair){.number = 100 - at, .place = at};
    held[at] = (Pair){.number = 90.5 + at, .place = 50 + at};
  }
  MPI_Win_create(complex_held, sizeof complex_held, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &complex_window);
  MPI_Win_create(held, sizeof held, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, complex_window);
  MPI_Win_fence(0, window);
  if (rank == 0) {
    MPI_Accumulate(complex_sent, numbers, MPI_C_COMPLEX, 1, 0, numbers, MPI_C_COMPLEX, MPI_SUM, complex_window);
    MPI_Accumulate(sent, numbers, MPI_DOUBLE_INT, 1, 0, numbers, MPI_DOUBLE_INT, MPI_MINLOC, window);
  }
  MPI_Win_fence(0, complex_window);
  MPI_Win_fence(0, window);
  for (int at = 0; rank == 1 && at < numbers; ++at) {
    const int smaller = 100 - at < 90.5 + at;
    right = right && held[at].number == (smaller ? 100 - at : 90.5 + at) && held[at].place == (smaller ? at : 50 + at);
    right = right && complex_held[2 * at] == (float)(2 * at) && complex_held[2 * at + 1] == 2;
  }
  MPI_Win_free(&window);
  MPI_Win_free(&complex_window);
  MPI_Finalize();
  return right ? 0 : 1;
}
