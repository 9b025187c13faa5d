// Collectives made of other calls, to compare the library's own with: what a program would write without them.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "groma/errors.hpp"
#include "groma/operations/exchanges.hpp"
#include "groma/operations/reductions.hpp"
#include "groma/operations/rooted.hpp"

namespace groma {

/// `own`, made of these calls. It has no MPI_IN_PLACE.
constexpr Info by_hand_of(Info own, std::string_view name, std::string_view summary, std::string_view calls) {
  own = named(own, name, summary, calls);
  if (own.sharing != Sharing::single) own.sharing = Sharing::refused;
  return own;
}

/// Every rank sends to two others, down a binary tree.
struct BcastBySends : Placed {
  static constexpr Info info =
      by_hand_of(Bcast::info, "bcast_by_sends", "As bcast, by messages from rank to rank down a binary tree.",
                 "MPI_Send, MPI_Recv");
  /// The rank in a place of the tree, of which the root has the first.
  [[nodiscard]] int in_place(int place) const noexcept { return (place + site.root) % site.ranks; }
  void step() noexcept {
    const int own = (site.rank - site.root + site.ranks) % site.ranks;
    if (own > 0) {
      MPI_Recv(buffers.receive, site.count, site.type, in_place((own - 1) / 2), 0, site.comm, MPI_STATUS_IGNORE);
    }
    for (int below = 2 * own + 1; below <= 2 * own + 2 && below < site.ranks; ++below) {
      MPI_Send(buffers.receive, site.count, site.type, in_place(below), 0, site.comm);
    }
  }
};

/// The root's own message stays where it is.
constexpr Info gathered_by(std::string_view name, std::string_view summary, std::string_view calls) {
  Info own = by_hand_of(Gather::info, name, summary, calls);
  own.result = Result::from_others;
  return own;
}
struct GatherBySends : BlocksOfOthers {
  static constexpr Info info = gathered_by(
      "gather_by_sends", "As gather, by messages that the root receives one after another.", "MPI_Send, MPI_Recv");
  void step() noexcept {
    if (site.rank != site.root) {
      MPI_Send(buffers.send, site.count, site.type, site.root, 0, site.comm);
      return;
    }
    for (int from = 0; from < site.ranks; ++from) {
      if (from == site.root) continue;
      MPI_Recv(buffers.slot(site, from), site.count, site.type, from, 0, site.comm, MPI_STATUS_IGNORE);
    }
  }
};
struct GatherByIsends : BlocksOfOthers {
  static constexpr Info info =
      gathered_by("gather_by_isends", "As gather, by messages that the root receives all at once.",
                  "MPI_Isend, MPI_Irecv, MPI_Waitall");
  std::vector<MPI_Request> requests;

  void open() { requests.assign(static_cast<std::size_t>(site.ranks), MPI_REQUEST_NULL); }
  void step() noexcept {
    int made = 0;
    if (site.rank != site.root) {
      MPI_Isend(buffers.send, site.count, site.type, site.root, 0, site.comm, &requests[made++]);
    } else {
      for (int from = 0; from < site.ranks; ++from) {
        if (from == site.root) continue;
        MPI_Irecv(buffers.slot(site, from), site.count, site.type, from, 0, site.comm, &requests[made++]);
      }
    }
    MPI_Waitall(made, requests.data(), MPI_STATUSES_IGNORE);
  }
};

struct AlltoallByIsends : BlocksOfOthers {
  static constexpr Info info =
      by_hand_of(Alltoall::info, "alltoall_by_isends", "As alltoall, by messages between all ranks at once.",
                 "MPI_Irecv, MPI_Isend, MPI_Waitall");
  std::vector<MPI_Request> requests;

  void open() { requests.resize(2 * static_cast<std::size_t>(site.ranks)); }
  void step() noexcept {
    for (int from = 0; from < site.ranks; ++from) {
      MPI_Irecv(buffers.slot(site, from), site.count, site.type, from, 0, site.comm, &requests[from]);
    }
    for (int to = 0; to < site.ranks; ++to) {
      MPI_Isend(buffers.outgoing(site, to), site.count, site.type, to, 0, site.comm, &requests[site.ranks + to]);
    }
    MPI_Waitall(2 * site.ranks, requests.data(), MPI_STATUSES_IGNORE);
  }
};

struct ReduceThenBcast : Placed {
  static constexpr Info info =
      by_hand_of(Allreduce::info, "reduce_then_bcast",
                 "As allreduce, by a reduction on one rank and a broadcast of it.", "MPI_Reduce, MPI_Bcast");
  void step() noexcept {
    MPI_Reduce(buffers.send, buffers.receive, site.count, site.type, site.reduction, 0, site.comm);
    MPI_Bcast(buffers.receive, site.count, site.type, 0, site.comm);
  }
};

/// The whole reduction is in memory of the first rank alone, until it is cut.
struct ReduceThenScatterv : WholeArray {
  static constexpr Info info =
      by_hand_of(ReduceScatter::info, "reduce_then_scatterv",
                 "As reduce_scatter, by a reduction on one rank and its blocks to all.", "MPI_Reduce, MPI_Scatterv");
  static void check(const Request& request) {
    if (request.elements <= std::numeric_limits<int>::max() / request.ranks) return;
    throw InputError("bytes=" + std::to_string(request.bytes) + " of " + std::string(request.operation) + " on " +
                     std::to_string(request.ranks) + " ranks is more than MPI's int counts can say; use fewer bytes");
  }
  Blocks blocks;
  std::vector<std::byte> whole;

  void open() {
    blocks = Blocks(site);
    if (site.rank == 0) whole.resize(static_cast<std::size_t>(site.ranks * site.message_bytes));
  }
  void step() noexcept {
    MPI_Reduce(buffers.send, whole.data(), site.count * site.ranks, site.type, site.reduction, 0, site.comm);
    MPI_Scatterv(whole.data(), blocks.counts().small, blocks.starts().small, site.type, buffers.receive, site.count,
                 site.type, 0, site.comm);
  }
};

using CollectivesByHand =
    OperationList<BcastBySends, GatherBySends, GatherByIsends, AlltoallByIsends, ReduceThenBcast, ReduceThenScatterv>;

}  // namespace groma
