// Makes ranks miss each other by a known amount, for tests of what Groma says of it: preloaded, it stands before the
// library's own calls. What the library calls inside its collectives does not pass here.
//
//   GROMA_SLOW_SENDER, GROMA_SEND_NS   every MPI_Send of this rank leaves later by so much: the pings of a clock do,
//                                      and what collectives send does not
//   GROMA_ISEND_NS                     every MPI_Isend of GROMA_SLOW_SENDER leaves later by so much
//   GROMA_SLOW_TO                      of both only those to this rank, as the communicator counts
//   GROMA_LATE_RANK                    this rank is late for every start that is announced: it waits until twice the
//                                      time to it has passed, and 10 us
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static int64_t setting(const char* name, int64_t otherwise) {
  const char* value = getenv(name);
  return value ? strtoll(value, NULL, 10) : otherwise;
}

static int64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1000000000 * (int64_t)time.tv_sec + time.tv_nsec;
}

static void spin_until(int64_t end_ns) {
  while (now_ns() < end_ns) {
  }
}

static int world_rank(void) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

static void delay(int to, int64_t delay_ns) {
  if (setting("GROMA_SLOW_TO", to) == to) spin_until(now_ns() + delay_ns);
}

static int64_t of_slow_sender(const char* name) {
  return setting("GROMA_SLOW_SENDER", -1) == world_rank() ? setting(name, 0) : 0;
}

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  static int64_t delay_ns = -1;
  if (delay_ns < 0) delay_ns = of_slow_sender("GROMA_SEND_NS");
  delay(to, delay_ns);
  return PMPI_Send(buffer, count, type, to, tag, comm);
}

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  static int64_t delay_ns = -1;
  if (delay_ns < 0) delay_ns = of_slow_sender("GROMA_ISEND_NS");
  delay(to, delay_ns);
  return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  const int code = PMPI_Bcast(buffer, count, type, root, comm);
  if (count != 1 || type != MPI_INT64_T || setting("GROMA_LATE_RANK", -1) != world_rank()) return code;
  const int64_t ahead_ns = *(const int64_t*)buffer - now_ns();
  if (ahead_ns > 0 && ahead_ns < 1000000000) spin_until(now_ns() + 2 * ahead_ns + 10000);
  return code;
}
