// Two threads of every rank broadcast at once, each in a communicator of its own. Exit code 0 if all have what their
// root sent within 30 s: of three ranks or more on one host, Intel MPI 2021.18 delivers other data on a Xeon.
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

enum { ELEMENTS = 10001, CALLS = 200 };

struct team {
  MPI_Comm comm;
  int number, rank, ranks, wrong;
};

static void* broadcast(void* argument) {
  struct team* team = argument;
  int data[ELEMENTS];
  for (int call = 0; call < CALLS; ++call) {
    const int root = call % team->ranks, sent = 1000 * team->number + call;
    for (int at = 0; at < ELEMENTS; ++at) data[at] = team->rank == root ? sent : -1;
    MPI_Bcast(data, ELEMENTS, MPI_INT, root, team->comm);
    for (int at = 0; at < ELEMENTS; ++at) team->wrong += data[at] != sent;
  }
  return NULL;
}

int main(int argc, char** argv) {
  struct team teams[2];
  int level = 0, wrong = 0;
  pthread_t other;
  alarm(30);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  for (int number = 0; number < 2; ++number) {
    teams[number] = (struct team){.number = number};
    MPI_Comm_dup(MPI_COMM_WORLD, &teams[number].comm);
    MPI_Comm_rank(teams[number].comm, &teams[number].rank);
    MPI_Comm_size(teams[number].comm, &teams[number].ranks);
  }
  pthread_create(&other, NULL, broadcast, &teams[1]);
  broadcast(&teams[0]);
  pthread_join(other, NULL);
  for (int number = 0; number < 2; ++number) {
    wrong += teams[number].wrong;
    MPI_Comm_free(&teams[number].comm);
  }
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
