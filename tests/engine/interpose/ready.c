// Counts ready sends that find no receive posted: an error by MPI-4.1, 3.4, which libraries may let pass unnoticed.
// Preloaded, it stands before the library's own calls.
//
//   GROMA_READY_BOARD    a file that all ranks map: the counts of struct Board
//   GROMA_READY_BYTES    only messages of this length, so that other traffic is left alone
//   GROMA_READY_SKIP     set: empty signals of swaps are not waited for, so that ready sends come too early
//
// Every message of that length must be a ready send into a receive posted by MPI_Irecv, between ranks that are numbered
// as in MPI_COMM_WORLD. MPI matches the messages of two ranks in their order, so the n-th ready send needs the n-th
// receive.
#include <fcntl.h>
#include <mpi.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { most_ranks = 16 };

struct Board {
  long posted[most_ranks][most_ranks];  // [receiver][source]
  long sent[most_ranks][most_ranks];    // [receiver][source]
  long unposted;
};

static struct Board* board(void) {
  static struct Board* mapped;
  if (!mapped) {
    const int file = open(getenv("GROMA_READY_BOARD"), O_RDWR);
    mapped = mmap(NULL, sizeof *mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file < 0 || mapped == MAP_FAILED) abort();
    close(file);
  }
  return mapped;
}

static int own_rank(void) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

static int watched(int count, MPI_Datatype type) {
  int type_bytes = 0;
  PMPI_Type_size(type, &type_bytes);
  return (long)count * type_bytes == strtol(getenv("GROMA_READY_BYTES"), NULL, 10);
}

// Ranks that are always prompt would hide a missing handshake; so would ranks that are late together.
static void dawdle(void) {
  static unsigned state;
  if (state == 0) state = 1 + own_rank();
  state = state * 1103515245u + 12345u;
  if ((state >> 16) % 8 == 0) usleep((state >> 20) % 300);
}

static void ready_send(int count, MPI_Datatype type, int receiver) {
  if (!watched(count, type)) return;
  const long number = __atomic_add_fetch(&board()->sent[receiver][own_rank()], 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&board()->posted[receiver][own_rank()], __ATOMIC_SEQ_CST) < number) {
    __atomic_add_fetch(&board()->unposted, 1, __ATOMIC_SEQ_CST);
  }
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  const int watch = watched(count, type);
  if (watch) dawdle();
  const int code = PMPI_Irecv(buffer, count, type, source, tag, comm, request);
  if (watch) __atomic_add_fetch(&board()->posted[own_rank()][source], 1, __ATOMIC_SEQ_CST);
  return code;
}

int MPI_Rsend(const void* buffer, int count, MPI_Datatype type, int receiver, int tag, MPI_Comm comm) {
  ready_send(count, type, receiver);
  return PMPI_Rsend(buffer, count, type, receiver, tag, comm);
}

int MPI_Irsend(const void* buffer, int count, MPI_Datatype type, int receiver, int tag, MPI_Comm comm,
               MPI_Request* request) {
  ready_send(count, type, receiver);
  return PMPI_Irsend(buffer, count, type, receiver, tag, comm, request);
}

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  if (count == 0 && type == MPI_BYTE && getenv("GROMA_READY_SKIP")) return MPI_SUCCESS;
  return PMPI_Recv(buffer, count, type, source, tag, comm, status);
}
