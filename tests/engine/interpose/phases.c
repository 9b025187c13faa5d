// Makes calls of chosen message lengths slow for a time, for tests of the steady state: preloaded, it stands before the
// library's own calls. The delay is a busy wait on rank 0; on SimGrid's simulated network, a wait of simulated time.
//
//   GROMA_PLANTS_ON  `all`: on every rank, so that no rank's delay passes while it would wait for another
//   GROMA_PLANTS   words "bytes:kind:number:delay", separated by commas, the delay in us; each message length has its
//                  own count of calls
//     first:n      the first n calls are slow
//     after:n      all calls but the first n are slow
//     late:n       calls that begin n ms after the first one, or later, are slow
//     every:n      every n-th call is slow
//     telegraph:n  slow and fast phases of n calls on the average
//     switch:n     n slow calls and n plain ones in turns
//     drift:n      the delay grows by its whole length in n calls
//   GROMA_PLANTED  a file; at the end a line "bytes calls delay mean" for each plant: the delay of its last call, and,
//                  of `every`, what n calls in a row took, by the median over these rows, as the mean of a call; in us
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { most_plants = 64, most_rows = 20000 };

struct Plant {
  long bytes;
  char kind;
  long number;
  double delay_us;
  double last_us;
  double began_us;
  double row_began_us;
  double* rows_us;
  int rows;
  long calls;
  int slow;
  unsigned random;
};

static struct Plant plants[most_plants];
static int planted = -1;

static void read_plants(void) {
  static char text[4096];
  const char* asked = getenv("GROMA_PLANTS");
  if (asked) strncpy(text, asked, sizeof text - 1);
  planted = 0;
  for (char* word = strtok(text, ","); word && planted < most_plants; word = strtok(NULL, ",")) {
    struct Plant* plant = &plants[planted++];
    char* kind = strchr(word, ':') + 1;
    char* number = strchr(kind, ':') + 1;
    plant->bytes = strtol(word, NULL, 10);
    plant->kind = kind[0];
    plant->number = strtol(number, NULL, 10);
    plant->delay_us = strtod(strchr(number, ':') + 1, NULL);
    plant->random = 1;
  }
}

static double now_us(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e6 * (double)time.tv_sec + 1e-3 * (double)time.tv_nsec;
}

/// Keeps what the calls took since the last slow one, which is now followed by the next.
static void end_row(struct Plant* plant) {
  const double now = now_us();
  if (plant->rows_us == NULL) plant->rows_us = malloc(most_rows * sizeof(double));
  if (plant->row_began_us > 0 && plant->rows_us != NULL && plant->rows < most_rows) {
    plant->rows_us[plant->rows++] = now - plant->row_began_us;
  }
  plant->row_began_us = now;
}

static int ascending(const void* one, const void* other) {
  const double difference = *(const double*)one - *(const double*)other;
  return difference < 0 ? -1 : difference > 0;
}

static double mean_us(struct Plant* plant) {
  if (plant->rows == 0) return 0;
  qsort(plant->rows_us, (size_t)plant->rows, sizeof(double), ascending);
  return plant->rows_us[plant->rows / 2] / (double)plant->number;
}

static double delay_share(struct Plant* plant) {
  const long call = plant->calls++;
  if (call == 0) plant->began_us = now_us();
  plant->random = plant->random * 1103515245u + 12345u;
  switch (plant->kind) {
    case 'f':
      return call < plant->number;
    case 'a':
      return call >= plant->number;
    case 'l':
      return now_us() - plant->began_us >= 1e3 * (double)plant->number;
    case 'e':
      if (call % plant->number == 0) end_row(plant);
      return call % plant->number == 0;
    case 's':
      return call / plant->number % 2 == 0;
    case 't':
      if ((plant->random >> 16) % (unsigned)plant->number == 0) plant->slow = !plant->slow;
      return plant->slow;
    default:
      return (double)call / (double)plant->number;
  }
}

static void pass(double delay_us) {
#ifdef SMPI_H
  const struct timespec time = {0, (long)(1e3 * delay_us)};
  if (time.tv_nsec > 0) nanosleep(&time, NULL);
#else
  const double until = now_us() + delay_us;
  while (now_us() < until) continue;
#endif
}

static int is_first_rank(void) {
  int rank = -1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == 0;
}

/// Simulated ranks share the variables of this library: none may hold what is true of one rank.
static int is_slow_rank(void) {
  static int all = -1;
  if (all < 0) {
    const char* ranks = getenv("GROMA_PLANTS_ON");
    all = ranks && strcmp(ranks, "all") == 0;
  }
  return all || is_first_rank();
}

static void dawdle(int count, MPI_Datatype type) {
  int type_bytes = 0;
  if (!is_slow_rank()) return;
  if (planted < 0) read_plants();
  PMPI_Type_size(type, &type_bytes);
  for (int i = 0; i < planted; ++i) {
    if (plants[i].bytes != (long)count * type_bytes) continue;
    plants[i].last_us = delay_share(&plants[i]) * plants[i].delay_us;
    if (plants[i].last_us > 0) pass(plants[i].last_us);
  }
}

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int receiver, int tag, MPI_Comm comm) {
  dawdle(count, type);
  return PMPI_Send(buffer, count, type, receiver, tag, comm);
}

int MPI_Barrier(MPI_Comm comm) {
  for (int i = 0; i < planted; ++i) plants[i].row_began_us = 0;
  return PMPI_Barrier(comm);
}

int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm comm) {
  dawdle(count, type);
  return PMPI_Allreduce(send, receive, count, type, operation, comm);
}

#ifdef SMPI_H
enum { bind_deeply = 8 };  // RTLD_DEEPBIND, which this compiler's headers hide

/// The simulator loads a copy of the program for each rank, and has it look for calls in its own libraries first: these
/// here would never be found.
void* dlopen(const char* file, int mode) {
  void* (*next)(const char*, int) = (void* (*)(const char*, int))dlsym((void*)-1l, "dlopen");
  return next(file, mode & ~bind_deeply);
}
#endif

int MPI_Finalize(void) {
  const char* path = getenv("GROMA_PLANTED");
  if (path && is_first_rank()) {
    FILE* file = fopen(path, "w");
    for (int i = 0; file && i < planted; ++i) {
      struct Plant* plant = &plants[i];
      fprintf(file, "%ld %ld %.3f %.4f\n", plant->bytes, plant->calls, plant->last_us, mean_us(plant));
    }
    if (file) fclose(file);
  }
  return PMPI_Finalize();
}
