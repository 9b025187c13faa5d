// Starts a process, meets it and leaves it, eight times. A library or launcher that cannot ends with another code than
// 0.
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Comm parent, made;
  int failed = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    MPI_Barrier(parent);
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    return 0;
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int i = 0; i < 8 && !failed; ++i) {
    failed = MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &made, MPI_ERRCODES_IGNORE);
    if (failed) break;
    MPI_Barrier(made);
    MPI_Comm_disconnect(&made);
  }
  MPI_Finalize();
  return failed != 0;
}
