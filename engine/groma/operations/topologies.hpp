// What it costs to give ranks a topology: a grid or a graph, made and freed, or the place of a rank in one.
#pragma once

#include <array>
#include <vector>

#include "groma/grid.hpp"
#include "groma/info.hpp"
#include "groma/mpi/missing.hpp"

namespace groma {

/// A periodic grid of two dimensions.
struct CartCreate : Placed {
  static constexpr Info info{.name = "cart_create",
                             .summary = "A communicator with a periodic grid of two dimensions, made and freed.",
                             .calls = "MPI_Cart_create, MPI_Comm_free",
                             .time = "one communicator made and freed"};
  Grid grid;
  void open() { grid = grid_of(site.ranks, site.rank, 2); }
  void step() noexcept {
    constexpr std::array<int, 2> periodic{1, 1};
    MPI_Comm made;
    MPI_Cart_create(site.comm, 2, grid.lengths.data(), periodic.data(), 0, &made);
    MPI_Comm_free(&made);
  }
};

/// Every rank states its two neighbours of a ring.
struct DistGraphCreateAdjacent : Placed {
  static constexpr Info info{.name = "dist_graph_create_adjacent",
                             .summary = "A communicator with the ring of ranks as its graph, made and freed.",
                             .calls = "MPI_Dist_graph_create_adjacent, MPI_Comm_free",
                             .time = "one communicator made and freed"};
  static constexpr std::string_view lacks = has_all_of_mpi_3 ? "" : "graphs of ranks";
  void step() noexcept {
    const std::array<int, 2> neighbours{site.left, site.right};
    MPI_Comm made;
    MPI_Dist_graph_create_adjacent(site.comm, 2, neighbours.data(), MPI_UNWEIGHTED, 2, neighbours.data(),
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
    MPI_Comm_free(&made);
  }
};

/// Every rank states its own edges, which could be those of any other rank: the library sorts them.
struct DistGraphCreate : Placed {
  static constexpr Info info{.name = "dist_graph_create",
                             .summary = "As dist_graph_create_adjacent; a rank does not say which edges arrive at it.",
                             .calls = "MPI_Dist_graph_create, MPI_Comm_free",
                             .time = "one communicator made and freed"};
  static constexpr std::string_view lacks = DistGraphCreateAdjacent::lacks;
  void step() noexcept {
    const std::array<int, 2> neighbours{site.left, site.right};
    const int degree = 2;
    MPI_Comm made;
    MPI_Dist_graph_create(site.comm, 1, &site.rank, &degree, neighbours.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                          &made);
    MPI_Comm_free(&made);
  }
};

/// The ring of ranks, of which every rank knows all edges.
struct OfRing : Placed {
  static constexpr std::string_view lacks = has_all_of_mpi_3 ? "" : "graphs of ranks";
  std::vector<int> ends;   ///< of each rank's edges, where they end in `edges`
  std::vector<int> edges;  ///< to the left and to the right
  void open() {
    for (int rank = 0; rank < site.ranks; ++rank) {
      ends.push_back(2 * (rank + 1));
      edges.push_back((rank + site.ranks - 1) % site.ranks);
      edges.push_back((rank + 1) % site.ranks);
    }
  }
};

struct GraphCreate : OfRing {
  static constexpr Info info{.name = "graph_create",
                             .summary = "As dist_graph_create_adjacent; every rank states the edges of all.",
                             .calls = "MPI_Graph_create, MPI_Comm_free",
                             .time = "one communicator made and freed"};
  void step() noexcept {
    MPI_Comm made;
    MPI_Graph_create(site.comm, site.ranks, ends.data(), edges.data(), 0, &made);
    MPI_Comm_free(&made);
  }
};

struct GraphMap : OfRing {
  static constexpr Info info{.name = "graph_map",
                             .summary = "The place that the library advises for this rank in a ring.",
                             .calls = "MPI_Graph_map"};
  int advised = 0;
  void step() noexcept { MPI_Graph_map(site.comm, site.ranks, ends.data(), edges.data(), &advised); }
};

struct CartMap : CartCreate {
  static constexpr Info info{.name = "cart_map",
                             .summary = "The place that the library advises for this rank in a periodic grid.",
                             .calls = "MPI_Cart_map"};
  static constexpr std::string_view lacks = has_all_of_mpi_3 ? "" : "MPI_Cart_map";
  int advised = 0;
  void step() noexcept {
    constexpr std::array<int, 2> periodic{1, 1};
    MPI_Cart_map(site.comm, 2, grid.lengths.data(), periodic.data(), &advised);
  }
};

struct DimsCreate : Placed {
  static constexpr Info info{.name = "dims_create",
                             .summary = "The lengths of a grid of three dimensions for the number of ranks.",
                             .calls = "MPI_Dims_create"};
  std::array<int, 3> lengths{};
  void step() noexcept {
    lengths = {};
    MPI_Dims_create(site.ranks, 3, lengths.data());
  }
};

/// The rows of a grid that is there.
struct CartSub : CartCreate {
  static constexpr Info info{.name = "cart_sub",
                             .summary = "A communicator of this rank's row of a periodic grid, made and freed.",
                             .calls = "MPI_Cart_sub, MPI_Comm_free",
                             .time = "one communicator made and freed"};
  MPI_Comm whole = MPI_COMM_NULL;
  void open() {
    CartCreate::open();
    constexpr std::array<int, 2> periodic{1, 1};
    MPI_Cart_create(site.comm, 2, grid.lengths.data(), periodic.data(), 0, &whole);
  }
  void close() { MPI_Comm_free(&whole); }
  void step() noexcept {
    constexpr std::array<int, 2> kept{0, 1};
    MPI_Comm made;
    MPI_Cart_sub(whole, kept.data(), &made);
    MPI_Comm_free(&made);
  }
};

using Topologies = OperationList<CartCreate, CartSub, CartMap, DistGraphCreateAdjacent, DistGraphCreate, GraphCreate,
                                 GraphMap, DimsCreate>;

}  // namespace groma
