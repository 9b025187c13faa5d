#include "groma/operations/neighbours.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>

#include "groma/errors.hpp"
#include "groma/random.hpp"

namespace groma {
namespace {

/// The rank `steps` away along a dimension of a periodic grid, in which the last dimension counts ranks one by one.
int along(const Grid& grid, int rank, int dimension, int steps) {
  int stride = 1;
  for (int one = dimension + 1; one < grid.dimensions; ++one) stride *= grid.lengths[static_cast<std::size_t>(one)];
  const int length = grid.lengths[static_cast<std::size_t>(dimension)];
  const int at = rank / stride % length;
  const int then = ((at + steps) % length + length) % length;
  return rank + (then - at) * stride;
}

/// Those to which a rank sends: the same in every run, and others for every rank.
std::vector<int> drawn(int degree, int ranks, int rank) {
  std::uint64_t state = 0xD1B54A32D192ED03U * static_cast<std::uint64_t>(rank + 1);
  std::vector<int> chosen;
  while (static_cast<int>(chosen.size()) < degree) {
    const int other = static_cast<int>(next_random(state) % static_cast<std::uint64_t>(ranks));
    if (other != rank && std::ranges::find(chosen, other) == chosen.end()) chosen.push_back(other);
  }
  return chosen;
}

struct Edge {
  int from = 0;
  int to = 0;
};

/// The edges of a file, each read once. Throws InputError with what is wrong in which line.
const std::vector<Edge>& edges_of(const std::string& path) {
  static std::map<std::string, std::vector<Edge>> read;
  if (const auto known = read.find(path); known != read.end()) return known->second;
  std::ifstream file(path);
  if (path.empty() || !file) {
    throw InputError("graph_file=" + path + " can't be read; name a file of edges that every host can read");
  }
  std::vector<Edge> edges;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    line.resize(std::min(line.find('#'), line.size()));
    std::istringstream words(line);
    Edge edge;
    std::string more;
    if (!(words >> more)) continue;
    words.clear();
    words.seekg(0);
    if (!(words >> edge.from >> edge.to) || words >> more || edge.from < 0 || edge.to < 0) {
      throw InputError("line " + std::to_string(number) + " of graph_file=" + path +
                       " is no edge; write two ranks there, of which the first sends to the second");
    }
    edges.push_back(edge);
  }
  return read[path] = std::move(edges);
}

/// Throws InputError for a file that is none, or has edges of other ranks.
void check_file(const Request& request, const NeighbourOptions& options) {
  const std::string of = " of " + std::string(request.operation);
  if (options.graph != Graph::file) {
    if (options.graph_file.empty()) return;
    throw InputError("graph_file=" + options.graph_file + of + " needs graph=file; use that, or leave it out");
  }
  for (const Edge& edge : edges_of(options.graph_file)) {
    const int other = std::max(edge.from, edge.to);
    if (other < request.ranks) continue;
    throw UnfitError("graph_file=" + options.graph_file + of + " needs a rank " + std::to_string(other) +
                     " and there are " + std::to_string(request.ranks) + "; use more ranks, or another file");
  }
}

}  // namespace

std::int64_t Neighbours::to_others() const {
  return std::ranges::count_if(destinations, [this](int other) { return other != rank; });
}

Neighbours neighbours_of(const NeighbourOptions& options, int ranks, int rank) {
  Neighbours found;
  found.rank = rank;
  if (options.graph == Graph::random) {
    found.destinations = drawn(options.degree, ranks, rank);
    for (int other = 0; other < ranks; ++other) {
      const std::vector<int> theirs = drawn(options.degree, ranks, other);
      if (std::ranges::find(theirs, rank) != theirs.end()) found.sources.push_back(other);
    }
    return found;
  }
  if (options.graph == Graph::file) {
    for (const Edge& edge : edges_of(options.graph_file)) {
      if (edge.from == rank) found.destinations.push_back(edge.to);
      if (edge.to == rank) found.sources.push_back(edge.from);
    }
    return found;
  }
  const Grid grid = grid_of(ranks, rank, options.dimensions);
  for (int dimension = 0; dimension < grid.dimensions; ++dimension) {
    for (int steps = 1; steps <= options.radius; ++steps) {
      found.sources.push_back(along(grid, rank, dimension, -steps));
      found.sources.push_back(along(grid, rank, dimension, steps));
    }
  }
  found.destinations = found.sources;
  return found;
}

std::int64_t messages_to_others(const NeighbourOptions& options, int ranks) {
  if (options.graph != Graph::file) return ranks * neighbours_of(options, ranks, 0).to_others();
  return std::ranges::count_if(edges_of(options.graph_file), [](const Edge& edge) { return edge.from != edge.to; });
}

std::int64_t most_neighbours(const NeighbourOptions& options, int ranks) {
  if (options.graph == Graph::cartesian || options.graph == Graph::distributed) {
    return std::int64_t{2} * options.dimensions * options.radius;
  }
  std::vector<std::int64_t> sources(static_cast<std::size_t>(ranks), 0);
  std::vector<std::int64_t> destinations(static_cast<std::size_t>(ranks), 0);
  for (int rank = 0; rank < ranks; ++rank) {
    const Neighbours own = options.graph == Graph::file ? neighbours_of(options, ranks, rank)
                                                        : Neighbours{{}, drawn(options.degree, ranks, rank), rank};
    destinations[static_cast<std::size_t>(rank)] = std::ssize(own.destinations);
    for (const int other : own.destinations) ++sources[static_cast<std::size_t>(other)];
  }
  return std::max(*std::ranges::max_element(sources), *std::ranges::max_element(destinations));
}

void check_neighbours(const Request& request, const NeighbourOptions& options) {
  check_file(request, options);
  const std::string of = " of " + std::string(request.operation);
  if (options.radius > 1 && options.graph != Graph::distributed) {
    throw InputError("radius=" + std::to_string(options.radius) + of + " needs graph=distributed; use that, or 1");
  }
  if (options.graph == Graph::random && options.degree >= request.ranks) {
    throw UnfitError("degree=" + std::to_string(options.degree) + of + " needs " + std::to_string(options.degree + 1) +
                     " ranks and has " + std::to_string(request.ranks) + "; use more ranks, or a smaller degree");
  }
}

Comm graph_of(const NeighbourOptions& options, const Site& site) {
  MPI_Comm made = MPI_COMM_NULL;
  if (options.graph == Graph::cartesian) {
    const Grid grid = grid_of(site.ranks, site.rank, options.dimensions);
    const std::array<int, 3> periodic{1, 1, 1};
    MPI_Cart_create(site.comm, grid.dimensions, grid.lengths.data(), periodic.data(), options.reorder, &made);
  } else {
    const Neighbours own = neighbours_of(options, site.ranks, site.rank);
    MPI_Dist_graph_create_adjacent(site.comm, static_cast<int>(own.sources.size()), own.sources.data(), MPI_UNWEIGHTED,
                                   static_cast<int>(own.destinations.size()), own.destinations.data(), MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, options.reorder, &made);
  }
  return Comm(made);
}

int node_of(const NeighbourOptions& options, const Site& site) {
  return options.reorder ? graph_of(options, site).rank() : site.rank;
}

}  // namespace groma
