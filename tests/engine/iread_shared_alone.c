// A nonblocking read where a pointer stands that all ranks share. Exit code 0 if it ends; one that does not is killed.
// Its argument is a folder.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank = 0;
  char bytes[13] = {0}, name[1000];
  MPI_File file;
  MPI_Request request;
  alarm(15);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(name, sizeof name, "%s/file-XXXXXX", argv[1]);
  if (rank == 0) close(mkstemp(name));
  MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  MPI_File_write_at_all(file, (MPI_Offset)sizeof bytes * rank, bytes, sizeof bytes, MPI_BYTE, MPI_STATUS_IGNORE);
  for (int turn = 0; turn < 500; ++turn) {
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_iread_shared(file, bytes, sizeof bytes, MPI_BYTE, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_File_close(&file);
  MPI_Finalize();
  return 0;
}
