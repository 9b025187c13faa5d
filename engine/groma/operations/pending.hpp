// What it costs to ask MPI about requests that are not complete, by their number. Each look lets MPI make progress.
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <vector>

#include "groma/info.hpp"
#include "groma/operations/calls.hpp"
#include "groma/operations/shared_parameters.hpp"

namespace groma {

struct PendingOptions {
  int window = 1;
  static constexpr auto table() { return std::array{option<&PendingOptions::window>(window_parameter, "1")}; }
};

/// Receives of messages that nobody sends.
struct Pending : Placed {
  using Options = PendingOptions;
  static constexpr Info common{.family = Family::harness, .time = "one look at all `window` requests"};
  static constexpr int tag = 32767;  ///< the greatest that every library has

  Options options;
  std::vector<MPI_Request> requests;
  std::vector<int> places;

  void open() {
    requests.resize(static_cast<std::size_t>(options.window));
    places.resize(requests.size());
    for (MPI_Request& request : requests) MPI_Irecv(nullptr, 0, MPI_BYTE, site.rank, tag, site.comm, &request);
  }
  void close() {
    for (MPI_Request& request : requests) MPI_Cancel(&request);
    MPI_Waitall(options.window, requests.data(), MPI_STATUSES_IGNORE);
  }
};

struct TestEach : Pending {
  static constexpr Info info = named(common, "test", "MPI_Test of every request that is not complete.", "MPI_Test");
  void step() noexcept {
    int done = 0;
    for (int at = 0; at < options.window; ++at)
      MPI_Test(&requests[static_cast<std::size_t>(at)], &done, MPI_STATUS_IGNORE);
  }
};
struct TestAll : Pending {
  static constexpr Info info =
      named(common, "testall", "MPI_Testall of requests that are not complete.", "MPI_Testall");
  void step() noexcept {
    int done = 0;
    MPI_Testall(options.window, requests.data(), &done, MPI_STATUSES_IGNORE);
  }
};
struct TestAny : Pending {
  static constexpr Info info =
      named(common, "testany", "MPI_Testany of requests that are not complete.", "MPI_Testany");
  void step() noexcept {
    int place = 0;
    int done = 0;
    MPI_Testany(options.window, requests.data(), &place, &done, MPI_STATUS_IGNORE);
  }
};
struct TestSome : Pending {
  static constexpr Info info =
      named(common, "testsome", "MPI_Testsome of requests that are not complete.", "MPI_Testsome");
  void step() noexcept {
    int done = 0;
    MPI_Testsome(options.window, requests.data(), &done, places.data(), MPI_STATUSES_IGNORE);
  }
};
struct GetStatus : Pending {
  static constexpr Info info = named(common, "request_get_status",
                                     "MPI_Request_get_status of every request that is not "
                                     "complete.",
                                     "MPI_Request_get_status");
  void step() noexcept {
    int done = 0;
    for (int at = 0; at < options.window; ++at) {
      MPI_Request_get_status(requests[static_cast<std::size_t>(at)], &done, MPI_STATUS_IGNORE);
    }
  }
};

/// The looks at many requests that MPI 4.1 has.
template <auto Look>
struct StatusOfMany : Pending {
  using Call = Calls<Look>;
  static constexpr std::string_view lacks =
      Call::blocking ? "" : "MPI_Request_get_status_all, _any and _some (MPI 4.1)";
  int done = 0;
};
struct GetStatusAll : StatusOfMany<MPI_Request_get_status_all> {
  static constexpr Info info =
      named(common, "request_get_status_all", "As testall, without freeing a request.", "MPI_Request_get_status_all");
  void step() noexcept { Call::now(std::tuple(options.window, requests.data(), &done, MPI_STATUSES_IGNORE)); }
};
struct GetStatusAny : StatusOfMany<MPI_Request_get_status_any> {
  static constexpr Info info =
      named(common, "request_get_status_any", "As testany, without freeing a request.", "MPI_Request_get_status_any");
  void step() noexcept {
    Call::now(std::tuple(options.window, requests.data(), places.data(), &done, MPI_STATUS_IGNORE));
  }
};
struct GetStatusSome : StatusOfMany<MPI_Request_get_status_some> {
  static constexpr Info info = named(common, "request_get_status_some", "As testsome, without freeing a request.",
                                     "MPI_Request_get_status_some");
  void step() noexcept {
    Call::now(std::tuple(options.window, requests.data(), &done, places.data(), MPI_STATUSES_IGNORE));
  }
};

/// Those that are pending are left alone.
struct CancelReceive : Pending {
  static constexpr Info info = [] {
    Info own = named(common, "cancel", "A receive is posted, cancelled and waited for, beside those that are pending.",
                     "MPI_Irecv, MPI_Cancel, MPI_Wait");
    own.time = "one receive posted and cancelled";
    return own;
  }();
  void step() noexcept {
    MPI_Request request;
    MPI_Irecv(nullptr, 0, MPI_BYTE, site.rank, tag, site.comm, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
};

using PendingRequests = OperationList<TestEach, TestAll, TestAny, TestSome, GetStatus, GetStatusAll, GetStatusAny,
                                      GetStatusSome, CancelReceive>;

}  // namespace groma
