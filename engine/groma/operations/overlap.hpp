// How much of an exchange goes on behind a computation: the time stamps of the ALCF slides, and the share that
// docs/methods.md defines.
#pragma once

#include <algorithm>
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

/// The options of an exchange, and those of the work inside it.
template <class Exchange>
struct WithWork : Exchange {
  double compute = 1;
  int tests = 0;

  static constexpr auto table() {
    constexpr auto own =
        std::array{option<&WithWork::compute>(compute_parameter),
                   option<&WithWork::tests>(parameter::count(
                       "tests", "0", "calls", {0, 1000}, "calls of MPI_Test or MPI_Testall spread over that work"))};
    constexpr auto theirs = Exchange::table();
    std::array<Option, theirs.size() + own.size()> all{};
    std::copy(own.begin(), own.end(), std::copy(theirs.begin(), theirs.end(), all.begin()));
    return all;
  }
};

/// An exchange alone, work alone, and the exchange with the work inside it: of whatever can `start`, `test` and
/// `wait`. Each part is timed.
template <class Exchange>
struct AroundWork : Exchange {
  using Options = WithWork<OptionsOf<Exchange>>;
  // pure: t4'-t1' of the seed; compute: the work alone; post: t2-t1; work: t3-t2 without the tests; wait: t4-t3.
  static constexpr std::array<std::string_view, 6> phases{"pure", "compute", "post", "work", "test", "wait"};
  static constexpr std::int64_t bytes_moved(const Shape&) { return 0; }
  static constexpr std::int64_t messages(const Shape&) { return 0; }
  /// As `own`, timed in these parts.
  static constexpr Info in_parts(Info own) {
    own.time = "exchange, work, and exchange around work, one after another; see the phases";
    own.bandwidth = {};
    own.bus = Bus::undefined;
    own.timing = "call";
    own.sync = "dissemination";
    return own;
  }

  Options options;
  BusyWork work;
  std::vector<std::int64_t> phase_ns;  ///< of every repetition since they were last taken
  std::int64_t taken = 0;

  /// The work is made as long as `compute` exchanges, the same on every rank.
  void open() {
    if constexpr (requires { Exchange::options; }) Exchange::options = options;
    if constexpr (requires { Exchange::open(); }) Exchange::open();
    if constexpr (requires { Exchange::bind(); }) Exchange::bind();
    work = BusyWork::lasting_as(this->site.comm, options.compute, options.tests + 1, [this] { alone(); });
    phase_ns.resize(phases.size() * static_cast<std::size_t>(longest_batch));
  }

  void alone() noexcept {
    this->start();
    this->wait();
  }
  void step() noexcept {
    const std::int64_t begin = Monotonic::now();
    alone();
    const std::int64_t done = Monotonic::now();
    for (int part = 0; part <= options.tests; ++part) work.run();
    const std::int64_t worked = Monotonic::now();
    this->start();
    const std::int64_t posted = Monotonic::now();
    std::int64_t test_ns = 0;
    work.run();
    for (int part = 0; part < options.tests; ++part) {
      const std::int64_t before = Monotonic::now();
      this->test();
      test_ns += Monotonic::now() - before;
      work.run();
    }
    const std::int64_t computed = Monotonic::now();
    this->wait();
    const std::int64_t end = Monotonic::now();
    std::int64_t* own = &phase_ns[static_cast<std::size_t>(taken++) * phases.size()];
    own[0] = done - begin;
    own[1] = worked - done;
    own[2] = posted - worked;
    own[3] = computed - posted - test_ns;
    own[4] = test_ns;
    own[5] = end - computed;
  }
};

/// A message to the partner and one from it.
struct PartnerExchange : Placed {
  std::array<MPI_Request, 2> requests{};

  void start() noexcept {
    MPI_Isend(buffers.send, site.count, site.type, site.partner, 0, site.comm, &requests[0]);
    MPI_Irecv(buffers.receive, site.count, site.type, site.partner, 0, site.comm, &requests[1]);
  }
  void test() noexcept {
    int done = 0;
    MPI_Testall(2, requests.data(), &done, MPI_STATUSES_IGNORE);
  }
  void wait() noexcept { MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE); }
};

struct Overlap : AroundWork<PartnerExchange> {
  static constexpr Info info =
      between_partners(in_parts({.name = "overlap",
                                 .summary = "An exchange alone, work alone, and the exchange with the work inside it.",
                                 .calls = "MPI_Isend, MPI_Irecv, MPI_Testall, MPI_Waitall",
                                 .timers = Timers::first}));
};

using Overlaps = OperationList<Overlap>;

}  // namespace groma
