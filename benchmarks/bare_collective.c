// A loop of one collective, by hand, eight times in a launch with a message of no bytes from rank 1 to rank 0 in
// between.
//   bare_collective barrier|allreduce|reduce_scatter_block BYTES
// prints microseconds per call, the mean over ranks, of each time: a line of eight numbers.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES = 8, WARMUPS = 1100, CALLS = 1000 };

static const char* operation;
static float *sent, *received;
static int count;

static void call(void) {
  if (operation[0] == 'b') {
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (operation[0] == 'a') {
    MPI_Allreduce(sent, received, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  } else {
    MPI_Reduce_scatter_block(sent, received, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  }
}

int main(int words, char** word) {
  MPI_Init(&words, &word);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  operation = words > 1 ? word[1] : "barrier";
  const int scattered = operation[0] == 'r';
  count = (words > 2 ? atoi(word[2]) : 0) / (int)sizeof(float) / (scattered ? ranks : 1);
  const size_t bytes = (size_t)(count + 1) * sizeof(float) * (scattered ? ranks : 1);
  sent = malloc(bytes);
  received = malloc(bytes);
  memset(sent, 0, bytes);
  memset(received, 0, bytes);
  double mean_us[TIMES];
  for (int time = 0; time < TIMES; ++time) {
    for (int i = 0; i < WARMUPS; ++i) call();
    const double start_s = MPI_Wtime();
    for (int i = 0; i < CALLS; ++i) call();
    mean_us[time] = (MPI_Wtime() - start_s) / CALLS * 1e6 / ranks;
    if (rank == 1) MPI_Send(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    if (rank == 0) MPI_Recv(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  double all_us[TIMES];
  MPI_Reduce(mean_us, all_us, TIMES, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  for (int time = 0; rank == 0 && time < TIMES; ++time) printf("%.4f%c", all_us[time], time + 1 < TIMES ? ' ' : '\n');
  free(sent);
  free(received);
  return MPI_Finalize();
}
