// MPI_Bcast of an array whose pages are new, and of one whose pages the kernel has on its list of pages in use, in
// turns.
//   new_pages BYTES TRIALS
// prints a line for each trial: microseconds per call with new pages, and with listed ones (medians of blocks).
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { WARMUPS = 300, BLOCKS = 21, CALLS = 100, PAGE_BYTES = 4096 };

static char* mapped(size_t bytes) {
  char* start = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) MPI_Abort(MPI_COMM_WORLD, 1);
  return start;
}

static int by_value(const void* one, const void* other) {
  const double difference = *(const double*)one - *(const double*)other;
  return (difference > 0) - (difference < 0);
}

// Locking a page makes the kernel list all pages that are new on this CPU.
static void list_pages(char* page) {
  if (mlock(page, PAGE_BYTES) != 0) {
    perror("mlock");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  munlock(page, PAGE_BYTES);
}

static double call_us(char* array, int bytes) {
  double block_us[BLOCKS];
  for (int i = 0; i < WARMUPS; ++i) MPI_Bcast(array, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  for (int block = 0; block < BLOCKS; ++block) {
    const double start_s = MPI_Wtime();
    for (int i = 0; i < CALLS; ++i) MPI_Bcast(array, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    block_us[block] = (MPI_Wtime() - start_s) / CALLS * 1e6;
  }
  qsort(block_us, BLOCKS, sizeof block_us[0], by_value);
  return block_us[BLOCKS / 2];
}

int main(int words, char** word) {
  MPI_Init(&words, &word);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int bytes = words > 1 ? atoi(word[1]) : 65536;
  const int trials = words > 2 ? atoi(word[2]) : 1;
  char* locked = mapped(PAGE_BYTES);
  for (int trial = 0; trial < trials; ++trial) {
    double us[2];
    for (int turn = 0; turn < 2; ++turn) {
      const int listed = (trial + turn) % 2;
      char* array = mapped((size_t)bytes);
      list_pages(locked);
      memset(array, 1, (size_t)bytes);
      if (listed) list_pages(locked);
      us[listed] = call_us(array, bytes);
      munmap(array, (size_t)bytes);
    }
    if (rank == 0) printf("%.4f %.4f\n", us[0], us[1]);
  }
  return MPI_Finalize();
}
