// The neighbours of a rank in a graph of ranks, and the communicator with that graph.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "groma/grid.hpp"
#include "groma/info.hpp"
#include "groma/mpi/handles.hpp"
#include "groma/operations/shared_parameters.hpp"

namespace groma {

enum class Graph { cartesian, distributed, random, file };

inline constexpr Choice graphs[] = {
    {"cartesian", "a periodic grid of `dimensions`, by MPI_Cart_create"},
    {"distributed",
     "a periodic grid too, with all ranks up to `radius` steps away along its axes, by "
     "MPI_Dist_graph_create_adjacent"},
    {"random", "`degree` other ranks for each, drawn the same in every run, by MPI_Dist_graph_create_adjacent"},
    {"file", "each line of `graph_file` is two ranks, of which the first sends to the second; likewise"}};

struct NeighbourOptions {
  Graph graph = Graph::cartesian;
  int dimensions = 1;
  int radius = 1;
  int degree = 2;
  std::string graph_file;
  bool reorder = false;

  static constexpr auto table() {
    return std::array{option<&NeighbourOptions::graph>(parameter::choice(
                          "graph", "cartesian", graphs, "who the neighbours of a neighbourhood collective are")),
                      option<&NeighbourOptions::dimensions>(dimensions_parameter),
                      option<&NeighbourOptions::radius>(parameter::count(
                          "radius", "1", "steps", {1, 64}, "how far away neighbours are, with graph=distributed")),
                      option<&NeighbourOptions::degree>(parameter::count(
                          "degree", "2", "ranks", {1, 4096}, "ranks to which each sends, with graph=random")),
                      option<&NeighbourOptions::graph_file>(parameter::text(
                          "graph_file", "", "a file of edges that every host can read, with graph=file")),
                      option<&NeighbourOptions::reorder>(parameter::flag(
                          "reorder", "the library may number the ranks anew, so that neighbours are near each other"))};
  }
};

/// The ranks that send to one rank, and those that it sends to, each as often as there are messages.
struct Neighbours {
  std::vector<int> sources;
  std::vector<int> destinations;
  int rank = 0;
  [[nodiscard]] std::int64_t to_others() const;
};

Neighbours neighbours_of(const NeighbourOptions& options, int ranks, int rank);
/// How many messages all ranks together send to others.
std::int64_t messages_to_others(const NeighbourOptions& options, int ranks);
/// The most sources or destinations of any rank.
std::int64_t most_neighbours(const NeighbourOptions& options, int ranks);
/// Throws InputError for options that do not fit each other, for a bad file, and for a degree that the ranks do not
/// have.
void check_neighbours(const Request& request, const NeighbourOptions& options);
/// The communicator with the graph. With `reorder` its ranks are the graph's nodes, else ranks keep their numbers.
/// Collective over the communicator of the site.
Comm graph_of(const NeighbourOptions& options, const Site& site);
/// Which node of the graph this rank is. Collective, as graph_of is.
int node_of(const NeighbourOptions& options, const Site& site);

}  // namespace groma
