// MPI_Neighbor_alltoallw around a ring with one edge more, from rank 0 to rank 2, which so has two sources and one
// destination. Exit code 0 if every rank then has the messages of its sources: with MPICH 4.0.2, rank 2 has one of two
// messages of 400 elements or more. For three ranks or more.
#include <mpi.h>

enum { ELEMENTS = 1000 };

int main(int argc, char** argv) {
  static int sent[2 * ELEMENTS], received[2 * ELEMENTS];
  int rank = 0, ranks = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int sources[2] = {(rank + ranks - 1) % ranks, 0}, destinations[2] = {(rank + 1) % ranks, 2};
  const int into = rank == 2 ? 2 : 1, out_of = rank == 0 ? 2 : 1;
  const int counts[2] = {ELEMENTS, ELEMENTS};
  const MPI_Aint starts[2] = {0, ELEMENTS * sizeof(int)};
  const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  for (int at = 0; at < 2 * ELEMENTS; ++at) {
    sent[at] = rank;
    received[at] = -1;
  }
  MPI_Comm graph;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, into, sources, MPI_UNWEIGHTED, out_of, destinations, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &graph);
  MPI_Neighbor_alltoallw(sent, counts, starts, types, received, counts, starts, types, graph);
  int right = 1;
  for (int at = 0; at < into * ELEMENTS; ++at) right = right && received[at] == sources[at / ELEMENTS];
  MPI_Comm_free(&graph);
  MPI_Finalize();
  return right ? 0 : 1;
}
