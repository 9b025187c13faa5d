// Collectives in which every rank has the same part. `bytes` is the block between one pair of ranks.
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "groma/errors.hpp"
#include "groma/operations/blocks.hpp"
#include "groma/operations/traffic.hpp"

namespace groma {

struct Barrier : Placed {
  static constexpr Info info{
      .name = "barrier", .summary = "No rank leaves before every rank has entered.", .calls = "MPI_Barrier"};
  void step() noexcept { MPI_Barrier(site.comm); }
};

struct Allgather : BlocksOfOthers {
  static constexpr Info info{.name = "allgather",
                             .summary = "Every rank collects one message from every rank.",
                             .calls = "MPI_Allgather",
                             .send = Size::message,
                             .receive = Size::per_rank,
                             .result = Result::from_all,
                             .sharing = Sharing::in_place,
                             .bandwidth = "received by one rank from the others",
                             .bus = Bus::others};
  void step() noexcept {
    MPI_Allgather(buffers.send, site.count, site.type, buffers.receive, site.count, site.type, site.comm);
  }
};

struct Allgatherv : WithLengths {
  static constexpr Info info = named(Allgather::info, "allgatherv",
                                     "As allgather, with a length for every rank (all equal here).", "MPI_Allgatherv");
  void step() noexcept {
    MPI_Allgatherv(buffers.send, site.count, site.type, buffers.receive, blocks.counts(), blocks.starts(), site.type,
                   site.comm);
  }
};

struct Alltoall : BlocksOfOthers {
  static constexpr Info info{.name = "alltoall",
                             .summary = "Every rank sends every rank a block of its own.",
                             .calls = "MPI_Alltoall",
                             .send = Size::per_rank,
                             .receive = Size::per_rank,
                             .result = Result::from_all_block,
                             .sharing = Sharing::in_place,
                             .bandwidth = "sent by one rank to the others",
                             .bus = Bus::others};
  void step() noexcept {
    MPI_Alltoall(buffers.send, site.count, site.type, buffers.receive, site.count, site.type, site.comm);
  }
};

/// Where no rank's data come from where its last ones went: an odd call is undone by the next.
struct AlltoallAlternating : Placed {
  static constexpr Info info = [] {
    Info own = named(Alltoall::info, "alltoall_alternating",
                     "As alltoall, the two arrays changing places with every call (ATA).", Alltoall::info.calls);
    own.sharing = Sharing::refused;
    own.bandwidth = "sent by one rank, to itself too";
    return own;
  }();
  static constexpr std::int64_t bytes_moved(const Shape& shape) { return shape.ranks * shape.bytes; }
  void step() noexcept {
    MPI_Alltoall(buffers.send, site.count, site.type, buffers.receive, site.count, site.type, site.comm);
    std::swap(buffers.send, buffers.receive);
  }
};

struct Alltoallv : WithLengths {
  static constexpr Info info = named(Alltoall::info, "alltoallv",
                                     "As alltoall, with a length for every pair (all equal here).", "MPI_Alltoallv");
  void step() noexcept {
    MPI_Alltoallv(buffers.send, blocks.counts(), blocks.starts(), site.type, buffers.receive, blocks.counts(),
                  blocks.starts(), site.type, site.comm);
  }
};

struct Alltoallw : WithLengths {
  static constexpr Info info =
      named(Alltoall::info, "alltoallw",
            "As alltoallv, with a datatype for every pair (all equal here) and starts in bytes.", "MPI_Alltoallw");
  /// An array with gaps takes two bytes for each of a message.
  static void check(const Request& request) {
    if (request.bytes <= std::numeric_limits<int>::max() / (2 * request.ranks)) return;
    throw InputError("bytes=" + std::to_string(request.bytes) + " of alltoallw on " + std::to_string(request.ranks) +
                     " ranks gives starts in bytes that MPI's int can't say (2147483647); use fewer bytes");
  }
  std::vector<int> start_bytes;
  std::vector<MPI_Datatype> types;
  void open() {
    WithLengths::open();
    types.assign(static_cast<std::size_t>(site.ranks), site.type);
    for (int rank = 0; rank < site.ranks; ++rank) start_bytes.push_back(static_cast<int>(rank * site.message_bytes));
  }
  void step() noexcept {
    MPI_Alltoallw(buffers.send, blocks.counts(), start_bytes.data(), types.data(), buffers.receive, blocks.counts(),
                  start_bytes.data(), types.data(), site.comm);
  }
};

using Exchanges = OperationList<Barrier, Allgather, Allgatherv, Alltoall, AlltoallAlternating, Alltoallv, Alltoallw>;

}  // namespace groma
