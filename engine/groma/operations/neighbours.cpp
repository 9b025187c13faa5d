#include "groma/operations/neighbours.hpp"

#include <algorithm>
#include <string>

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

std::int64_t most_neighbours(const NeighbourOptions& options, int ranks) {
  if (options.graph != Graph::random) return std::int64_t{2} * options.dimensions * options.radius;
  std::vector<std::int64_t> sources(static_cast<std::size_t>(ranks), 0);
  for (int rank = 0; rank < ranks; ++rank) {
    for (const int other : drawn(options.degree, ranks, rank)) ++sources[static_cast<std::size_t>(other)];
  }
  return std::max<std::int64_t>(options.degree, *std::ranges::max_element(sources));
}

void check_neighbours(const Request& request, const NeighbourOptions& options) {
  const std::string of = " of " + std::string(request.operation);
  if (options.radius > 1 && options.graph != Graph::distributed) {
    throw InputError("radius=" + std::to_string(options.radius) + of + " needs graph=distributed; use that, or 1");
  }
  if (options.graph == Graph::random && options.degree >= request.ranks) {
    throw UnfitError("degree=" + std::to_string(options.degree) + of + " needs " + std::to_string(options.degree + 1) +
                     " ranks and has " + std::to_string(request.ranks) + "; use more ranks, or a smaller degree");
  }
}

Comm graph_of(const NeighbourOptions& options, const Neighbours& neighbours, MPI_Comm comm, int ranks) {
  MPI_Comm made = MPI_COMM_NULL;
  if (options.graph == Graph::cartesian) {
    const Grid grid = grid_of(ranks, neighbours.rank, options.dimensions);
    const std::array<int, 3> periodic{1, 1, 1};
    MPI_Cart_create(comm, grid.dimensions, grid.lengths.data(), periodic.data(), 0, &made);
  } else {
    MPI_Dist_graph_create_adjacent(comm, static_cast<int>(neighbours.sources.size()), neighbours.sources.data(),
                                   MPI_UNWEIGHTED, static_cast<int>(neighbours.destinations.size()),
                                   neighbours.destinations.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
  }
  return Comm(made);
}

}  // namespace groma
