// The time that a cache line takes from rank 0 to rank 1 and back, right after MPI_Init and right before MPI_Finalize:
// tells which state of the machine a launch met. Stands before the MPI library of a real program or of the engine.
//   GROMA_LINE   a file of a page of zeros, which both ranks map; rank 0 writes both times into GROMA_LINE.ns
#include <fcntl.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { BLOCKS = 21, EXCHANGES = 50, PATIENCE_NS = 1000000000 };

static double found_ns[2] = {-1, -1};

static long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000L + now.tv_nsec;
}

// Waits until the line has a number; reads the clock now and then, so that nobody waits for a rank that has ended.
static int await(atomic_uint* line, unsigned number) {
  long since = 0;
  for (unsigned long looks = 1; atomic_load_explicit(line, memory_order_acquire) != number; ++looks) {
    if (looks % 100000 != 0) continue;
    if (since == 0) since = now_ns();
    if (now_ns() - since > PATIENCE_NS) return 0;
  }
  return 1;
}

static int by_time(const void* one, const void* other) {
  const double difference = *(const double*)one - *(const double*)other;
  return (difference > 0) - (difference < 0);
}

// The median over blocks of one way.
static double hand_over_ns(atomic_uint* line, int rank) {
  double block_ns[BLOCKS];
  unsigned number = atomic_load(line) & ~1u;
  for (int block = 0; block < BLOCKS; ++block) {
    const long start = now_ns();
    for (int i = 0; i < EXCHANGES; ++i, number += 2) {
      if (rank == 0) atomic_store_explicit(line, number + 1, memory_order_release);
      if (!await(line, number + (rank == 0 ? 2 : 1))) return -1;
      if (rank == 1) atomic_store_explicit(line, number + 2, memory_order_release);
    }
    block_ns[block] = (double)(now_ns() - start) / (2 * EXCHANGES);
  }
  qsort(block_ns, BLOCKS, sizeof block_ns[0], by_time);
  return block_ns[BLOCKS / 2];
}

static void look(int at) {
  int rank, ranks;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* path = getenv("GROMA_LINE");
  PMPI_Barrier(MPI_COMM_WORLD);
  if (path && ranks > 1 && rank < 2) {
    const int file = open(path, O_RDWR);
    void* page = file < 0 ? MAP_FAILED : mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (page != MAP_FAILED) {
      // Each time has a line of its own.
      found_ns[at] = hand_over_ns((atomic_uint*)page + 64 * at, rank);
      munmap(page, 4096);
    }
    if (file >= 0) close(file);
  }
  PMPI_Barrier(MPI_COMM_WORLD);
  if (at == 1 && path && rank == 0) {
    char name[4096];
    snprintf(name, sizeof name, "%s.ns", path);
    FILE* out = fopen(name, "w");
    if (out) {
      fprintf(out, "%.1f %.1f\n", found_ns[0], found_ns[1]);
      fclose(out);
    }
  }
}

int MPI_Init(int* count, char*** words) {
  const int code = PMPI_Init(count, words);
  if (code == MPI_SUCCESS) look(0);
  return code;
}

int MPI_Init_thread(int* count, char*** words, int required, int* provided) {
  const int code = PMPI_Init_thread(count, words, required, provided);
  if (code == MPI_SUCCESS) look(0);
  return code;
}

int MPI_Finalize(void) {
  look(1);
  return PMPI_Finalize();
}
