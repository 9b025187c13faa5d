// Neighbourhood collectives: every rank exchanges a message with each of its neighbours in a graph, which is a periodic
// grid or random. `bytes` is the message for one neighbour.
#pragma once

#include <algorithm>
#include <tuple>
#include <vector>

#include "groma/mpi/handles.hpp"
#include "groma/operations/blocks.hpp"
#include "groma/operations/forms.hpp"
#include "groma/operations/neighbours.hpp"

namespace groma {

/// What they have in common. A rank that is several times a neighbour gets the same message each time, as MPI leaves
/// open which is which.
struct Neighbourhood : Placed {
  using Options = NeighbourOptions;
  static constexpr Info common{.min_ranks = 2,
                               .receive = Size::stated,
                               .result = Result::stated,
                               .time = "one exchange with all neighbours",
                               .bandwidth = "sent to and received from other ranks by one rank, mean over ranks",
                               .validation = "every element received is the one that the neighbour sent for this rank"};
  static constexpr std::string_view lacks = has_all_of_mpi_3 ? "" : "neighbourhood collectives";

  static std::int64_t bytes_moved(const Shape& shape, const Options& options) {
    return messages(shape, options) * shape.bytes;
  }
  static std::int64_t messages(const Shape& shape, const Options& options) {
    return 2 * messages_to_others(options, static_cast<int>(shape.ranks)) / shape.ranks;
  }
  static void check(const Request& request, const Options& options) { check_neighbours(request, options); }
  static std::vector<int> grid_lengths(const Shape& shape, const Options& options) {
    if (options.graph == Graph::random || options.graph == Graph::file) return {};
    const Grid grid = grid_of(static_cast<int>(shape.ranks), 0, options.dimensions);
    return {grid.lengths.begin(), grid.lengths.begin() + grid.dimensions};
  }

  Options options;
  Neighbours neighbours;
  Comm graph;

  void open() {
    graph = graph_of(options, site);
    neighbours = neighbours_of(options, site.ranks, graph.rank());
  }
  /// Which node of the graph this rank is; -1 if ranks keep their numbers.
  int new_rank() const { return options.reorder ? graph.rank() : -1; }
};

/// The same message for all neighbours.
struct NeighborAllgather : Neighbourhood {
  static constexpr Info info = [] {
    Info own = named(common, "neighbor_allgather", "Every rank sends one message to all its neighbours in a graph.",
                     "MPI_Neighbor_allgather");
    own.send = Size::stated;
    return own;
  }();
  static Memory memory(const Shape& shape, const Options& options) {
    return {.send_bytes = shape.bytes,
            .receive_bytes = most_neighbours(options, static_cast<int>(shape.ranks)) * shape.bytes};
  }
  static Contents contents(const Site& site, const Options& options) {
    Contents all;
    const int node = node_of(options, site);
    all.sent = {{0, site.elements, node, 0}};
    std::int64_t start = 0;
    for (const int from : neighbours_of(options, site.ranks, node).sources) {
      all.received.push_back({start, site.elements, from, 0});
      start += site.message_bytes;
    }
    return all;
  }
  using Call =
      Calls<MPI_Neighbor_allgather, MPI_Ineighbor_allgather, MPI_Neighbor_allgather_init, MPI_Neighbor_allgather_c>;
  auto arguments() const noexcept {
    return std::tuple(buffers.send, site.counted, site.type, buffers.receive, site.counted, site.type, graph.get());
  }
};

struct NeighborAllgatherv : NeighborAllgather {
  static constexpr Info info =
      named(NeighborAllgather::info, "neighbor_allgatherv",
            "As neighbor_allgather, with a length for every neighbour (all equal here).", "MPI_Neighbor_allgatherv");
  Blocks received;
  void open() {
    NeighborAllgather::open();
    received = Blocks(Blocks::Lengths(neighbours.sources.size(), site.counted.number));
  }
  using Call =
      Calls<MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv, MPI_Neighbor_allgatherv_init, MPI_Neighbor_allgatherv_c>;
  auto arguments() const noexcept {
    return std::tuple(buffers.send, site.counted, site.type, buffers.receive, received.counts(), received.starts(),
                      site.type, graph.get());
  }
};

/// A message of its own for every neighbour.
struct NeighborAlltoall : Neighbourhood {
  static constexpr Info info = [] {
    Info own = named(common, "neighbor_alltoall", "Every rank sends each of its neighbours a message of its own.",
                     "MPI_Neighbor_alltoall");
    own.send = Size::stated;
    return own;
  }();
  static Memory memory(const Shape& shape, const Options& options) {
    const std::int64_t most = most_neighbours(options, static_cast<int>(shape.ranks)) * shape.bytes;
    return {.send_bytes = most, .receive_bytes = most};
  }
  static Contents contents(const Site& site, const Options& options) {
    const int node = node_of(options, site);
    const Neighbours neighbours = neighbours_of(options, site.ranks, node);
    Contents all;
    std::int64_t start = 0;
    for (const int to : neighbours.destinations) {
      all.sent.push_back({start, site.elements, node, to});
      start += site.message_bytes;
    }
    start = 0;
    for (const int from : neighbours.sources) {
      all.received.push_back({start, site.elements, from, node});
      start += site.message_bytes;
    }
    return all;
  }
  using Call =
      Calls<MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall, MPI_Neighbor_alltoall_init, MPI_Neighbor_alltoall_c>;
  auto arguments() const noexcept {
    return std::tuple(buffers.send, site.counted, site.type, buffers.receive, site.counted, site.type, graph.get());
  }
};

struct NeighborAlltoallv : NeighborAlltoall {
  static constexpr Info info =
      named(NeighborAlltoall::info, "neighbor_alltoallv",
            "As neighbor_alltoall, with a length for every neighbour (all equal here).", "MPI_Neighbor_alltoallv");
  Blocks sent;
  Blocks received;
  void open() {
    NeighborAlltoall::open();
    sent = Blocks(Blocks::Lengths(neighbours.destinations.size(), site.counted.number));
    received = Blocks(Blocks::Lengths(neighbours.sources.size(), site.counted.number));
  }
  using Call =
      Calls<MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv, MPI_Neighbor_alltoallv_init, MPI_Neighbor_alltoallv_c>;
  auto arguments() const noexcept {
    return std::tuple(buffers.send, sent.counts(), sent.starts(), site.type, buffers.receive, received.counts(),
                      received.starts(), site.type, graph.get());
  }
};

struct NeighborAlltoallw : NeighborAlltoallv {
  static constexpr Info info = named(NeighborAlltoall::info, "neighbor_alltoallw",
                                     "As neighbor_alltoallv, with a datatype for every neighbour and starts in bytes.",
                                     "MPI_Neighbor_alltoallw");
  std::vector<MPI_Aint> starts;
  std::vector<MPI_Datatype> types;
  void open() {
    NeighborAlltoallv::open();
    const std::size_t most = std::max(neighbours.destinations.size(), neighbours.sources.size());
    types.assign(most, site.type);
    for (std::size_t at = 0; at < most; ++at) starts.push_back(static_cast<MPI_Aint>(at) * site.message_bytes);
  }
  using Call =
      Calls<MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw, MPI_Neighbor_alltoallw_init, MPI_Neighbor_alltoallw_c>;
  auto arguments() const noexcept {
    return std::tuple(buffers.send, sent.counts(), starts.data(), types.data(), buffers.receive, received.counts(),
                      starts.data(), types.data(), graph.get());
  }
};

using Neighbourhoods =
    OperationList<AllForms<NeighborAllgather>, AllForms<NeighborAllgatherv>, AllForms<NeighborAlltoall>,
                  AllForms<NeighborAlltoallv>, AllForms<NeighborAlltoallw>>;

}  // namespace groma
