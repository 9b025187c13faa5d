// Opens and closes a port. Intel MPI 2021.18 of PyPI dies of it.
#include <mpi.h>

int main(int argc, char** argv) {
  char port[MPI_MAX_PORT_NAME];
  int failed = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  failed = MPI_Open_port(MPI_INFO_NULL, port);
  if (!failed) MPI_Close_port(port);
  MPI_Finalize();
  return failed != 0;
}
