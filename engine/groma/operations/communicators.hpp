// What it costs to make a communicator and to free it again.
#pragma once

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

struct CommDupWithInfo : Placed {
  static constexpr Info info{.name = "comm_dup_with_info",
                             .summary = "As comm_dup, with hints (none here).",
                             .calls = "MPI_Comm_dup_with_info, MPI_Comm_free",
                             .time = "one duplicate made and freed"};
  void step() noexcept {
    MPI_Comm made;
    MPI_Comm_dup_with_info(site.comm, MPI_INFO_NULL, &made);
    MPI_Comm_free(&made);
  }
};

struct CommIdupWithInfo : Placed {
  static constexpr Info info{.name = "comm_idup_with_info",
                             .summary = "As comm_idup, with hints (none here).",
                             .calls = "MPI_Comm_idup_with_info, MPI_Wait, MPI_Comm_free",
                             .time = "one duplicate made and freed"};
  static constexpr std::string_view lacks = has_mpi_4 ? "" : "MPI_Comm_idup_with_info (MPI 4.0)";
  void step() noexcept {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm_idup_with_info(site.comm, MPI_INFO_NULL, &made, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&made);
  }
};

/// Two halves of the ranks, each a communicator.
struct OfHalves : Placed {
  MPI_Comm half = MPI_COMM_NULL;
  int in_second = 0;

  void open() {
    in_second = site.rank < site.ranks / 2 ? 0 : 1;
    MPI_Comm_split(site.comm, in_second, site.rank, &half);
  }
  void close() { MPI_Comm_free(&half); }
  /// The first rank of the other half, in the communicator of both.
  [[nodiscard]] int other_leader() const noexcept { return in_second == 1 ? 0 : site.ranks / 2; }
  void connect(MPI_Comm* made) const noexcept { MPI_Intercomm_create(half, 0, site.comm, other_leader(), 0, made); }
};

struct IntercommCreate : OfHalves {
  static constexpr Info info{.name = "intercomm_create",
                             .summary = "An intercommunicator between two halves of the ranks, made and freed.",
                             .calls = "MPI_Intercomm_create, MPI_Comm_free",
                             .min_ranks = 2,
                             .time = "one intercommunicator made and freed"};
  void step() noexcept {
    MPI_Comm made;
    connect(&made);
    MPI_Comm_free(&made);
  }
};

struct IntercommMerge : OfHalves {
  static constexpr Info info{.name = "intercomm_merge",
                             .summary = "One communicator of both sides of an intercommunicator, made and freed.",
                             .calls = "MPI_Intercomm_merge, MPI_Comm_free",
                             .min_ranks = 2,
                             .time = "one communicator made and freed"};
  MPI_Comm between = MPI_COMM_NULL;
  void open() {
    OfHalves::open();
    connect(&between);
  }
  void close() {
    MPI_Comm_free(&between);
    OfHalves::close();
  }
  void step() noexcept {
    MPI_Comm made;
    MPI_Intercomm_merge(between, in_second, &made);
    MPI_Comm_free(&made);
  }
};

using CommunicatorCalls = OperationList<CommDup, CommIdup, CommSplit, CommSplitType, CommCreate, CommCreateGroup,
                                        CommDupWithInfo, CommIdupWithInfo, IntercommCreate, IntercommMerge>;

}  // namespace groma
