// A program that only starts and ends MPI: what a launch costs without a benchmark.
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Finalize();
  return 0;
}
