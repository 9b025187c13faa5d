// Leaves out the last element of every call that writes to a file or reads from it.
#include <mpi.h>

#define OUT MPI_File f, const void *b, int n, MPI_Datatype t
#define IN MPI_File f, void *b, int n, MPI_Datatype t
#define OUT_AT MPI_File f, MPI_Offset o, const void *b, int n, MPI_Datatype t
#define IN_AT MPI_File f, MPI_Offset o, void *b, int n, MPI_Datatype t
#define AS_ASKED f, b, n - 1, t
#define AS_ASKED_AT f, o, b, n - 1, t
#define WAITING(name, way, asked) \
  int MPI_File_##name(way, MPI_Status* s) { return PMPI_File_##name(asked, s); }
#define STARTED(name, way, asked) \
  int MPI_File_##name(way, MPI_Request* r) { return PMPI_File_##name(asked, r); }
#define SPLIT(name, way, asked) \
  int MPI_File_##name(way) { return PMPI_File_##name(asked); }

WAITING(write, OUT, AS_ASKED)
WAITING(write_all, OUT, AS_ASKED)
WAITING(write_shared, OUT, AS_ASKED)
WAITING(write_ordered, OUT, AS_ASKED)
WAITING(write_at, OUT_AT, AS_ASKED_AT)
WAITING(write_at_all, OUT_AT, AS_ASKED_AT)
WAITING(read, IN, AS_ASKED)
WAITING(read_all, IN, AS_ASKED)
WAITING(read_shared, IN, AS_ASKED)
WAITING(read_ordered, IN, AS_ASKED)
WAITING(read_at, IN_AT, AS_ASKED_AT)
WAITING(read_at_all, IN_AT, AS_ASKED_AT)
STARTED(iwrite, OUT, AS_ASKED)
STARTED(iwrite_all, OUT, AS_ASKED)
STARTED(iwrite_shared, OUT, AS_ASKED)
STARTED(iwrite_at, OUT_AT, AS_ASKED_AT)
STARTED(iwrite_at_all, OUT_AT, AS_ASKED_AT)
STARTED(iread, IN, AS_ASKED)
STARTED(iread_all, IN, AS_ASKED)
STARTED(iread_shared, IN, AS_ASKED)
STARTED(iread_at, IN_AT, AS_ASKED_AT)
STARTED(iread_at_all, IN_AT, AS_ASKED_AT)
SPLIT(write_all_begin, OUT, AS_ASKED)
SPLIT(write_ordered_begin, OUT, AS_ASKED)
SPLIT(write_at_all_begin, OUT_AT, AS_ASKED_AT)
SPLIT(read_all_begin, IN, AS_ASKED)
SPLIT(read_ordered_begin, IN, AS_ASKED)
SPLIT(read_at_all_begin, IN_AT, AS_ASKED_AT)
