// Files that are given room, one after the other. Exit code 0 if that ends; a program that does not is killed. Its
// argument is a folder.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank = 0;
  char name[1000];
  MPI_File file;
  alarm(15);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(name, sizeof name, "%s/file-XXXXXX", argv[1]);
  if (rank == 0) close(mkstemp(name));
  MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (int turn = 0; turn < 400; ++turn) {
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    for (int call = 0; call < 4; ++call) {
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_File_preallocate(file, 1 << 20);
      MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_File_close(&file);
  }
  if (rank == 0) unlink(name);
  MPI_Finalize();
  return 0;
}
