// How much of an exchange goes on behind a computation: the time stamps of the ALCF slides, and the share that
// docs/methods.md defines.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "groma/clock/clocks.hpp"
#include "groma/operations/shared_parameters.hpp"
#include "groma/operations/traffic.hpp"
#include "groma/stopping/stop.hpp"
#include "groma/timed/busy_work.hpp"

namespace groma {

struct OverlapOptions {
  double compute = 1;
  int tests = 0;

  static constexpr auto table() {
    return std::array{option<&OverlapOptions::compute>(compute_parameter),
                      option<&OverlapOptions::tests>(parameter::count("tests", "0", "calls", {0, 1000},
                                                                      "calls of MPI_Testall spread over that work"))};
  }
};

/// One exchange alone, the computation alone, and one exchange with the computation between posting and waiting.
struct Overlap : Placed {
  using Options = OverlapOptions;
  static constexpr Info info =
      between_partners({.name = "overlap",
                        .summary = "An exchange alone, work alone, and the exchange with the work inside it.",
                        .calls = "MPI_Isend, MPI_Irecv, MPI_Testall, MPI_Waitall",
                        .timers = Timers::first,
                        .time = "exchange, work, and exchange around work, one after another; see the phases",
                        .timing = "call",
                        .sync = "dissemination"});
  // pure: t4'-t1' of the seed; compute: the work alone; post: t2-t1; work: t3-t2 without the tests; wait: t4-t3.
  static constexpr std::array<std::string_view, 6> phases{"pure", "compute", "post", "work", "test", "wait"};
  static constexpr std::int64_t bytes_moved(const Shape&) { return 0; }

  Options options;
  std::array<MPI_Request, 2> requests{};
  BusyWork work;
  std::vector<std::int64_t> phase_ns;  ///< of every repetition since they were last taken
  std::int64_t taken = 0;

  /// The work is made as long as `compute` exchanges, the same on every rank.
  void open() {
    work = BusyWork::lasting_as(site.comm, options.compute, options.tests + 1, [this] { exchange(); });
    phase_ns.resize(phases.size() * static_cast<std::size_t>(longest_batch));
  }

  void exchange() noexcept {
    post();
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  }
  void post() noexcept {
    MPI_Isend(buffers.send, site.count, site.type, site.partner, 0, site.comm, &requests[0]);
    MPI_Irecv(buffers.receive, site.count, site.type, site.partner, 0, site.comm, &requests[1]);
  }
  void step() noexcept {
    const std::int64_t begin = Monotonic::now();
    exchange();
    const std::int64_t alone = Monotonic::now();
    for (int part = 0; part <= options.tests; ++part) work.run();
    const std::int64_t worked = Monotonic::now();
    post();
    const std::int64_t posted = Monotonic::now();
    std::int64_t test_ns = 0;
    work.run();
    for (int part = 0; part < options.tests; ++part) {
      int done = 0;
      const std::int64_t before = Monotonic::now();
      MPI_Testall(2, requests.data(), &done, MPI_STATUSES_IGNORE);
      test_ns += Monotonic::now() - before;
      work.run();
    }
    const std::int64_t computed = Monotonic::now();
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    const std::int64_t end = Monotonic::now();
    std::int64_t* own = &phase_ns[static_cast<std::size_t>(taken++) * phases.size()];
    own[0] = alone - begin;
    own[1] = worked - alone;
    own[2] = posted - worked;
    own[3] = computed - posted - test_ns;
    own[4] = test_ns;
    own[5] = end - computed;
  }
};

using Overlaps = OperationList<Overlap>;

}  // namespace groma
