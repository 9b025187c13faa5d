// What it costs to make a communicator and to free it again.
#pragma once

#include <array>

#include "groma/grid.hpp"
#include "groma/info.hpp"
#include "groma/mpi/missing.hpp"

namespace groma {

struct CommDup : Placed {
  static constexpr Info info{.name = "comm_dup",
                             .summary = "A duplicate of the communicator, made and freed.",
                             .calls = "MPI_Comm_dup, MPI_Comm_free",
                             .time = "one duplicate made and freed"};
  void step() noexcept {
    MPI_Comm made;
    MPI_Comm_dup(site.comm, &made);
    MPI_Comm_free(&made);
  }
};

struct CommDupWithInfo : Placed {
  static constexpr Info info{.name = "comm_dup_with_info",
                             .summary = "As comm_dup, with hints for the duplicate: none.",
                             .calls = "MPI_Comm_dup_with_info, MPI_Comm_free",
                             .time = "one duplicate made and freed"};
  void step() noexcept {
    MPI_Comm made;
    MPI_Comm_dup_with_info(site.comm, MPI_INFO_NULL, &made);
    MPI_Comm_free(&made);
  }
};

struct CommSplit : Placed {
  static constexpr Info info{.name = "comm_split",
                             .summary = "Even and odd ranks get a communicator each, made and freed.",
                             .calls = "MPI_Comm_split, MPI_Comm_free",
                             .time = "one split made and freed"};
  void step() noexcept {
    MPI_Comm made;
    MPI_Comm_split(site.comm, site.rank % 2, site.rank, &made);
    MPI_Comm_free(&made);
  }
};

struct CommIdup : Placed {
  static constexpr Info info{.name = "comm_idup",
                             .summary = "As comm_dup, nonblocking: started, then waited for.",
                             .calls = "MPI_Comm_idup, MPI_Wait, MPI_Comm_free",
                             .time = "one duplicate made and freed"};
  static constexpr std::string_view lacks = has_all_of_mpi_3 ? "" : "MPI_Comm_idup";
  void step() noexcept {
    MPI_Comm made;
    MPI_Request request;
    MPI_Comm_idup(site.comm, &made, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&made);
  }
};

struct CommSplitType : Placed {
  static constexpr Info info{.name = "comm_split_type",
                             .summary = "The ranks that share memory get a communicator, made and freed.",
                             .calls = "MPI_Comm_split_type, MPI_Comm_free",
                             .time = "one split made and freed"};
  void step() noexcept {
    MPI_Comm made;
    MPI_Comm_split_type(site.comm, MPI_COMM_TYPE_SHARED, site.rank, MPI_INFO_NULL, &made);
    MPI_Comm_free(&made);
  }
};

/// Of all ranks in their order, so that what is made differs from a duplicate by the call alone.
struct OfGroup : Placed {
  MPI_Group group = MPI_GROUP_NULL;
  void open() { MPI_Comm_group(site.comm, &group); }
  void close() { MPI_Group_free(&group); }
};

struct CommCreate : OfGroup {
  static constexpr Info info{.name = "comm_create",
                             .summary = "A communicator of a group of all ranks, made and freed.",
                             .calls = "MPI_Comm_create, MPI_Comm_free",
                             .time = "one communicator made and freed"};
  void step() noexcept {
    MPI_Comm made;
    MPI_Comm_create(site.comm, group, &made);
    MPI_Comm_free(&made);
  }
};

struct CommCreateGroup : OfGroup {
  static constexpr Info info{.name = "comm_create_group",
                             .summary = "As comm_create, by a call that only the group's ranks make.",
                             .calls = "MPI_Comm_create_group, MPI_Comm_free",
                             .time = "one communicator made and freed"};
  void step() noexcept {
    MPI_Comm made;
    MPI_Comm_create_group(site.comm, group, 0, &made);
    MPI_Comm_free(&made);
  }
};

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
struct DistGraphCreate : Placed {
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

using CommunicatorCalls = OperationList<CommDup, CommDupWithInfo, CommIdup, CommSplit, CommSplitType, CommCreate,
                                        CommCreateGroup, CartCreate, DistGraphCreate>;

}  // namespace groma
