// Halo exchange on a periodic grid of 1, 2 or 3 dimensions: one message through every face, in the forms that ALCF
// compares (ALCF slides), and as MPI's own collective and persistent forms. `bytes` is one face.
#pragma once

#include <array>
#include <vector>

#include "groma/grid.hpp"
#include "groma/info.hpp"
#include "groma/mpi/handles.hpp"
#include "groma/operations/calls.hpp"
#include "groma/operations/placed_requests.hpp"
#include "groma/operations/shared_parameters.hpp"

namespace groma {

struct HaloOptions {
  int dimensions = 1;

  static constexpr auto table() { return std::array{option<&HaloOptions::dimensions>(dimensions_parameter)}; }
};

/// What the forms have in common. A message carries the face that it leaves by as its tag, so that two ranks that are
/// each other's neighbour on both sides can't mix up the two.
struct Halo : Placed {
  using Options = HaloOptions;
  static constexpr Info common{
      .family = Family::point_to_point,
      .min_ranks = 2,
      .send = Size::stated,
      .receive = Size::stated,
      .result = Result::stated,
      .touches = true,
      .time = "one exchange through all faces",
      .bandwidth = "sent to and received from other ranks by one rank, all faces",
      .pattern = "all",
      .sync = "dissemination",
      .validation = "every element received through a face is the one that the neighbour there sent for it"};
  static Grid first_grid(const Shape& shape, const Options& options) {
    return grid_of(static_cast<int>(shape.ranks), 0, options.dimensions);
  }
  static std::int64_t bytes_moved(const Shape& shape, const Options& options) {
    return messages(shape, options) * shape.bytes;
  }
  /// Along a dimension of length 1 a rank is its own neighbour: that is a copy, and no traffic.
  static std::int64_t messages(const Shape& shape, const Options& options) {
    return std::int64_t{4} * first_grid(shape, options).dimensions_with_others();
  }
  static constexpr Memory memory(const Shape& shape, const Options& options) {
    const std::int64_t faces = std::int64_t{2} * options.dimensions * shape.bytes;
    return {.send_bytes = faces, .receive_bytes = faces};
  }
  static std::vector<int> grid_lengths(const Shape& shape, const Options& options) {
    const Grid grid = first_grid(shape, options);
    return {grid.lengths.begin(), grid.lengths.begin() + grid.dimensions};
  }
  /// Through every face the message that the neighbour there sent through its opposite face.
  static Contents contents(const Site& site, const Options& options) {
    return contents_on(grid_of(site.ranks, site.rank, options.dimensions), site);
  }
  static Contents contents_on(const Grid& grid, const Site& site) {
    Contents contents;
    for (int face = 0; face < grid.faces(); ++face) {
      const std::int64_t start = face * site.message_bytes;
      contents.sent.push_back({start, site.elements, site.rank, key(grid, face)});
      const int from = grid.neighbours[static_cast<std::size_t>(face)];
      contents.received.push_back({start, site.elements, from, key(grid, opposite(face))});
    }
    return contents;
  }
  /// What tells the messages of a rank apart. Where both faces of a dimension look at the same rank MPI leaves open
  /// which of its two messages a neighbourhood collective delivers where (MPI-4.1, 8.6), so they are the same.
  static std::int64_t key(const Grid& grid, int face) { return grid.folded(face) ? face / 2 * 2 : face; }
  static constexpr int opposite(int face) { return face ^ 1; }

  Options options;
  Grid grid{};
  std::array<MPI_Request, 12> requests{};

  void open() { grid = grid_of(site.ranks, site.rank, options.dimensions); }
  [[nodiscard]] int neighbour(int face) const noexcept { return grid.neighbours[static_cast<std::size_t>(face)]; }
  void isend(int face, MPI_Request* request) noexcept {
    MPI_Isend(buffers.outgoing(site, face), site.count, site.type, neighbour(face), face, site.comm, request);
  }
  void irecv(int face, MPI_Request* request) noexcept {
    MPI_Irecv(buffers.slot(site, face), site.count, site.type, neighbour(face), opposite(face), site.comm, request);
  }
  void receive(int face) noexcept {
    MPI_Recv(buffers.slot(site, face), site.count, site.type, neighbour(face), opposite(face), site.comm,
             MPI_STATUS_IGNORE);
  }
};

struct HaloSendrecv : Halo {
  static constexpr Info info =
      named(common, "halo/sendrecv", "Halo exchange, one direction after another.", "MPI_Sendrecv");
  void step() noexcept {
    for (int face = 0; face < grid.faces(); ++face) {
      const int behind = opposite(face);
      MPI_Sendrecv(buffers.outgoing(site, face), site.count, site.type, neighbour(face), face,
                   buffers.slot(site, behind), site.count, site.type, neighbour(behind), face, site.comm,
                   MPI_STATUS_IGNORE);
    }
  }
};

struct HaloIsendRecv : Halo {
  static constexpr Info info =
      named(common, "halo/isend_recv", "Halo exchange, one dimension after another, with blocking receives.",
            "MPI_Isend, MPI_Recv, MPI_Waitall");
  void step() noexcept {
    for (int face = 0; face < grid.faces(); face += 2) {
      isend(face, &requests[0]);
      isend(face + 1, &requests[1]);
      receive(face);
      receive(face + 1);
      MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    }
  }
};

struct HaloIsendIrecv : Halo {
  static constexpr Info info =
      named(common, "halo/isend_irecv", "Halo exchange, one dimension after another, nonblocking.",
            "MPI_Isend, MPI_Irecv, MPI_Waitall");
  void step() noexcept {
    for (int face = 0; face < grid.faces(); face += 2) {
      isend(face, &requests[0]);
      isend(face + 1, &requests[1]);
      irecv(face, &requests[2]);
      irecv(face + 1, &requests[3]);
      MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
    }
  }
};

struct HaloAllAtOnce : Halo {
  static constexpr Info info =
      named(common, "halo/all_at_once", "Halo exchange with every receive posted, then every send, then one wait.",
            "MPI_Irecv, MPI_Isend, MPI_Waitall");
  void step() noexcept {
    const int faces = grid.faces();
    for (int face = 0; face < faces; ++face) irecv(face, requests.data() + face);
    for (int face = 0; face < faces; ++face) isend(face, requests.data() + faces + face);
    MPI_Waitall(2 * faces, requests.data(), MPI_STATUSES_IGNORE);
  }
};

struct HaloPersistent : Halo {
  static constexpr Info info =
      named(common, "halo/persistent", "As halo/all_at_once, with requests that are made once and started every time.",
            "MPI_Recv_init, MPI_Send_init, MPI_Startall, MPI_Waitall");
  PlacedRequests kept;
  MPI_Request* started = nullptr;

  void bind() {
    started = kept.at(buffers, [this] { return made(); });
  }
  void close() { kept.free(); }
  PlacedRequests::Requests made() {
    const int faces = grid.faces();
    PlacedRequests::Requests all(2 * static_cast<std::size_t>(faces));
    for (int face = 0; face < faces; ++face) {
      MPI_Recv_init(buffers.slot(site, face), site.count, site.type, neighbour(face), opposite(face), site.comm,
                    all.data() + face);
      MPI_Send_init(buffers.outgoing(site, face), site.count, site.type, neighbour(face), face, site.comm,
                    all.data() + faces + face);
    }
    return all;
  }
  void step() noexcept {
    MPI_Startall(2 * grid.faces(), started);
    MPI_Waitall(2 * grid.faces(), started, MPI_STATUSES_IGNORE);
  }
};

struct HaloNeighbourhood : Halo {
  static constexpr Info info =
      named(common, "halo/neighbourhood", "Halo exchange as one collective on a Cartesian communicator.",
            "MPI_Neighbor_alltoall");
  using Call = Calls<MPI_Neighbor_alltoall>;
  static constexpr std::string_view lacks = has_all_of_mpi_3 ? "" : "MPI_Neighbor_alltoall";
  Comm cartesian;
  void open() {
    Halo::open();
    const std::array<int, 3> periodic{1, 1, 1};
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Cart_create(site.comm, grid.dimensions, grid.lengths.data(), periodic.data(), 0, &made);
    cartesian = Comm(made);
  }
  void step() noexcept {
    Call::now(std::tuple(buffers.send, site.count, site.type, buffers.receive, site.count, site.type, cartesian.get()));
  }
};

using HaloExchanges =
    OperationList<HaloSendrecv, HaloIsendRecv, HaloIsendIrecv, HaloAllAtOnce, HaloPersistent, HaloNeighbourhood>;

}  // namespace groma
