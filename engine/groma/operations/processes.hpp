// Processes that are started while the program runs, and ranks that find each other by the name of a port. A launcher
// may refuse: the calls return their errors, which end the point and no other.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "groma/info.hpp"
#include "groma/mpi/handles.hpp"
#include "groma/mpi/simulated.hpp"
#include "groma/mpi/spawned.hpp"

namespace groma {

/// Keeps the first error. `step` calls nothing after one.
struct ReturningErrors : Placed {
  static constexpr std::string_view lacks = simulated ? "processes that can be started or found" : "";
  static constexpr std::string_view trouble_reason = "mpi_error";
  std::unique_ptr<ErrorsReturned> returned;
  MPI_Errhandler before = MPI_ERRHANDLER_NULL;
  const char* failed = nullptr;  ///< the call, as MPI names it
  int code = MPI_SUCCESS;

  void open() {
    returned = std::make_unique<ErrorsReturned>();
    MPI_Comm_get_errhandler(site.comm, &before);
    MPI_Comm_set_errhandler(site.comm, MPI_ERRORS_RETURN);
  }
  void close() {
    MPI_Comm_set_errhandler(site.comm, before);
    MPI_Errhandler_free(&before);
    returned.reset();
  }
  /// True if this call and all before it were successful.
  bool fine(const char* call, int answer) noexcept {
    if (answer == MPI_SUCCESS || failed != nullptr) return failed == nullptr;
    failed = call;
    code = answer;
    return false;
  }
  [[nodiscard]] std::string trouble() const {
    if (failed == nullptr) return "";
    const std::string text = error_text(code);  // MPICH's goes on with lines of its own places
    return std::string(failed) + ": " + text.substr(0, std::min(text.find(", error stack"), text.find('\n')));
  }
};

/// New processes of this program wait for one message, leave and end.
struct CommSpawn : ReturningErrors {
  static constexpr Info info{.name = "comm_spawn",
                             .summary = "A process started, which exchanges a message with all ranks and ends.",
                             .calls = "MPI_Comm_spawn, MPI_Barrier, MPI_Comm_disconnect",
                             .time = "one process started, met and left"};
  char* program = nullptr;
  std::array<char*, 2> words{};

  void open() {
    ReturningErrors::open();
    program = own_program();
    words = spawned_words();
  }
  void leave(MPI_Comm& made) noexcept {
    if (!fine("MPI_Barrier", MPI_Barrier(made))) return;
    fine("MPI_Comm_disconnect", MPI_Comm_disconnect(&made));
  }
  void step() noexcept {
    if (failed != nullptr) return;
    MPI_Comm made = MPI_COMM_NULL;
    const int answer =
        MPI_Comm_spawn(program, words.data(), 1, MPI_INFO_NULL, 0, site.comm, &made, MPI_ERRCODES_IGNORE);
    if (fine("MPI_Comm_spawn", answer)) leave(made);
  }
};

struct CommSpawnMultiple : CommSpawn {
  static constexpr Info info{.name = "comm_spawn_multiple",
                             .summary = "As comm_spawn, of two commands with a process each.",
                             .calls = "MPI_Comm_spawn_multiple, MPI_Barrier, MPI_Comm_disconnect",
                             .time = "two processes started, met and left"};
  void step() noexcept {
    if (failed != nullptr) return;
    MPI_Comm made = MPI_COMM_NULL;
    std::array<char*, 2> commands{program, program};
    std::array<char**, 2> arguments{words.data(), words.data()};
    std::array<int, 2> counts{1, 1};
    std::array<MPI_Info, 2> hints{MPI_INFO_NULL, MPI_INFO_NULL};
    const int answer = MPI_Comm_spawn_multiple(2, commands.data(), arguments.data(), counts.data(), hints.data(), 0,
                                               site.comm, &made, MPI_ERRCODES_IGNORE);
    if (fine("MPI_Comm_spawn_multiple", answer)) leave(made);
  }
};

/// Two halves of the ranks; the first rank of all opens a port, and tells the others its name.
struct CommConnect : ReturningErrors {
  static constexpr Info info{
      .name = "comm_connect",
      .summary = "Two halves of the ranks connected by a port, and disconnected; one opens it and accepts.",
      .calls = "MPI_Open_port, MPI_Comm_accept, MPI_Comm_connect, MPI_Comm_disconnect, MPI_Close_port",
      .min_ranks = 2,
      .time = "one port opened, its name told, both halves connected and disconnected"};
  MPI_Comm half = MPI_COMM_NULL;
  bool accepts = false;
  std::array<char, MPI_MAX_PORT_NAME> port{};

  void open() {
    ReturningErrors::open();
    accepts = site.rank < site.ranks / 2;
    MPI_Comm_split(site.comm, accepts ? 0 : 1, site.rank, &half);
  }
  void close() {
    MPI_Comm_free(&half);
    ReturningErrors::close();
  }
  void step() noexcept {
    if (site.rank == 0) {
      port.front() = 0;
      fine("MPI_Open_port", MPI_Open_port(MPI_INFO_NULL, port.data()));
    }
    MPI_Bcast(port.data(), static_cast<int>(port.size()), MPI_CHAR, 0, site.comm);
    if (port.front() == 0) return;  // on all ranks: there is no port
    MPI_Comm made = MPI_COMM_NULL;
    if (accepts) {
      fine("MPI_Comm_accept", MPI_Comm_accept(port.data(), MPI_INFO_NULL, 0, half, &made));
    } else {
      fine("MPI_Comm_connect", MPI_Comm_connect(port.data(), MPI_INFO_NULL, 0, half, &made));
    }
    if (failed == nullptr) fine("MPI_Comm_disconnect", MPI_Comm_disconnect(&made));
    if (site.rank == 0) MPI_Close_port(port.data());
  }
};

/// Each rank publishes a name of its own.
struct PublishName : ReturningErrors {
  static constexpr Info info{.name = "publish_name",
                             .summary = "The name of a port published, looked up and withdrawn.",
                             .calls = "MPI_Publish_name, MPI_Lookup_name, MPI_Unpublish_name",
                             .time = "a name published, looked up and withdrawn"};
  std::string name;
  std::array<char, MPI_MAX_PORT_NAME> port{};
  std::array<char, MPI_MAX_PORT_NAME> found{};
  void open() {
    ReturningErrors::open();
    name = "groma-" + std::to_string(Comm(MPI_COMM_WORLD).rank());
    fine("MPI_Open_port", MPI_Open_port(MPI_INFO_NULL, port.data()));
  }
  void close() {
    if (port.front() != 0) MPI_Close_port(port.data());  // MPICH dies of a port that was never opened
    ReturningErrors::close();
  }
  void step() noexcept {
    if (failed != nullptr) return;
    if (!fine("MPI_Publish_name", MPI_Publish_name(name.data(), MPI_INFO_NULL, port.data()))) return;
    if (!fine("MPI_Lookup_name", MPI_Lookup_name(name.data(), MPI_INFO_NULL, found.data()))) return;
    fine("MPI_Unpublish_name", MPI_Unpublish_name(name.data(), MPI_INFO_NULL, port.data()));
  }
};

using Processes = OperationList<CommSpawn, CommSpawnMultiple, CommConnect, PublishName>;

}  // namespace groma
