// Sessions: MPI used without MPI_COMM_WORLD. They are timed in programs in which MPI is initialised already.
#pragma once

#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "groma/info.hpp"
#include "groma/mpi/missing.hpp"

namespace groma {

struct WithoutWorld : Placed {
  static constexpr std::string_view lacks = has_mpi_4 ? "" : "sessions (MPI 4.0)";
};

struct SessionInit : WithoutWorld {
  static constexpr Info info{.name = "session_init",
                             .summary = "A session begun and ended, beside MPI that is initialised.",
                             .calls = "MPI_Session_init, MPI_Session_finalize",
                             .time = "one session begun and ended"};
  void step() noexcept {
    MPI_Session made = MPI_SESSION_NULL;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &made);
    MPI_Session_finalize(&made);
  }
};

/// A session that is open.
struct OfSession : WithoutWorld {
  static constexpr const char* everyone = "mpi://WORLD";
  MPI_Session session = MPI_SESSION_NULL;
  void open() { MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session); }
  void close() { MPI_Session_finalize(&session); }
};

struct SessionSets : OfSession {
  static constexpr Info info{.name = "session_get_nth_pset",
                             .summary = "The name of a session's first set of processes, and how many sets there are.",
                             .calls = "MPI_Session_get_num_psets, MPI_Session_get_nth_pset",
                             .time = "one name"};
  std::array<char, MPI_MAX_PSET_NAME_LEN> name{};
  void step() noexcept {
    int sets = 0;
    int letters = static_cast<int>(name.size());
    MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets);
    MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &letters, name.data());
  }
};

struct GroupFromSession : OfSession {
  static constexpr Info info{.name = "group_from_session_pset",
                             .summary = "The group of a session's set of all processes, made and freed.",
                             .calls = "MPI_Group_from_session_pset, MPI_Group_free",
                             .time = "one group made and freed"};
  void step() noexcept {
    MPI_Group made = MPI_GROUP_NULL;
    MPI_Group_from_session_pset(session, everyone, &made);
    MPI_Group_free(&made);
  }
};

/// The ranks of the point, as a group of the session.
struct OfSessionGroup : OfSession {
  MPI_Group members = MPI_GROUP_NULL;
  /// As many of them as `count`, from `first` on.
  [[nodiscard]] MPI_Group group_of(int first, int count) const {
    std::vector<int> own(static_cast<std::size_t>(count));
    std::iota(own.begin(), own.end(), first);
    std::vector<int> in_world(own.size());
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Group mine = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Comm_group(site.comm, &mine);
    MPI_Group_translate_ranks(mine, count, own.data(), all, in_world.data());
    MPI_Group_free(&mine);
    MPI_Group_free(&all);
    MPI_Group_from_session_pset(session, everyone, &all);
    MPI_Group made = MPI_GROUP_NULL;
    MPI_Group_incl(all, count, in_world.data(), &made);
    MPI_Group_free(&all);
    return made;
  }
  void open() {
    OfSession::open();
    members = group_of(0, site.ranks);
  }
  void close() {
    MPI_Group_free(&members);
    OfSession::close();
  }
};

struct CommFromGroup : OfSessionGroup {
  static constexpr Info info{.name = "comm_create_from_group",
                             .summary = "A communicator of a session's group, without another one, made and freed.",
                             .calls = "MPI_Comm_create_from_group, MPI_Comm_free",
                             .time = "one communicator made and freed"};
  void step() noexcept {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_create_from_group(members, "groma", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &made);
    MPI_Comm_free(&made);
  }
};

/// Two halves of the ranks, each a group of the session.
struct IntercommFromGroups : OfSessionGroup {
  static constexpr Info info{.name = "intercomm_create_from_groups",
                             .summary = "An intercommunicator of two groups of a session, made and freed.",
                             .calls = "MPI_Intercomm_create_from_groups, MPI_Comm_free",
                             .min_ranks = 2,
                             .time = "one intercommunicator made and freed"};
  MPI_Group others = MPI_GROUP_NULL;
  void open() {
    OfSession::open();
    const int half = site.ranks / 2;
    members = group_of(0, half);
    others = group_of(half, site.ranks - half);
    if (site.rank >= half) std::swap(members, others);
  }
  void close() {
    MPI_Group_free(&others);
    OfSessionGroup::close();
  }
  void step() noexcept {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Intercomm_create_from_groups(members, 0, others, 0, "groma", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &made);
    MPI_Comm_free(&made);
  }
};

using Sessions = OperationList<SessionInit, SessionSets, GroupFromSession, CommFromGroup, IntercommFromGroups>;

}  // namespace groma
