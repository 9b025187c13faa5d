// Makes calls of chosen message lengths slow for a time, for tests of the steady state: preloaded, it stands before the
// library's own calls. The delay is a busy wait on rank 0.
//
//   GROMA_PLANTS   words "bytes:kind:number", separated by commas; each message length has its own count of calls
//     first:n      the first n calls are slow
//     after:n      all calls but the first n are slow
//     every:n      every n-th call is slow
//     telegraph:n  slow and fast phases of n calls on the average
//     drift:n      the delay grows by its whole length in n calls
//   GROMA_PLANT_US the delay
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { most_plants = 32 };

struct Plant {
  long bytes;
  char kind;
  long number;
  long calls;
  int slow;
  unsigned random;
};

static struct Plant plants[most_plants];
static int planted = -1;

static void read_plants(void) {
  char text[1024] = "";
  const char* asked = getenv("GROMA_PLANTS");
  if (asked) strncpy(text, asked, sizeof text - 1);
  planted = 0;
  for (char* word = strtok(text, ","); word && planted < most_plants; word = strtok(NULL, ",")) {
    struct Plant* plant = &plants[planted++];
    char* kind = strchr(word, ':') + 1;
    plant->bytes = strtol(word, NULL, 10);
    plant->kind = kind[0];
    plant->number = strtol(strchr(kind, ':') + 1, NULL, 10);
    plant->random = 1;
  }
}

static double delay_share(struct Plant* plant) {
  const long call = plant->calls++;
  plant->random = plant->random * 1103515245u + 12345u;
  switch (plant->kind) {
    case 'f':
      return call < plant->number;
    case 'a':
      return call >= plant->number;
    case 'e':
      return call % plant->number == 0;
    case 't':
      if ((plant->random >> 16) % (unsigned)plant->number == 0) plant->slow = !plant->slow;
      return plant->slow;
    default:
      return (double)call / (double)plant->number;
  }
}

static double now_us(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e6 * (double)time.tv_sec + 1e-3 * (double)time.tv_nsec;
}

static void dawdle(int count, MPI_Datatype type) {
  int type_bytes = 0;
  int rank = -1;
  if (planted < 0) read_plants();
  PMPI_Type_size(type, &type_bytes);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; rank == 0 && i < planted; ++i) {
    if (plants[i].bytes != (long)count * type_bytes) continue;
    const double until = now_us() + delay_share(&plants[i]) * strtod(getenv("GROMA_PLANT_US"), NULL);
    while (now_us() < until) continue;
  }
}

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int receiver, int tag, MPI_Comm comm) {
  dawdle(count, type);
  return PMPI_Send(buffer, count, type, receiver, tag, comm);
}

int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm comm) {
  dawdle(count, type);
  return PMPI_Allreduce(send, receive, count, type, operation, comm);
}
