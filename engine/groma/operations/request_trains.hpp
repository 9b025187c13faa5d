// Round trips of requests that give the parameters of LogGP: alone, in a train, spaced, with replies
// taken late.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "groma/clock/clocks.hpp"
#include "groma/errors.hpp"
#include "groma/operations/shared_parameters.hpp"
#include "groma/operations/traffic.hpp"
#include "groma/stopping/stop.hpp"
#include "groma/text/words.hpp"
#include "groma/timed/busy_work.hpp"

namespace groma {

struct RequestTrainOptions {
  int window = 2;      ///< requests in a train
  double compute = 1;  ///< a delay, in single round trips

  static constexpr auto table() {
    return std::array{option<&RequestTrainOptions::window>(window_parameter, "16"),
                      option<&RequestTrainOptions::compute>(compute_parameter, "2")};
  }
};

/// All parts follow one another in a repetition, so that what disturbs the machine meets them alike. The second rank
/// answers: after the last request of a part, or after each where replies are taken late.
struct RequestTrains : Placed {
  using Options = RequestTrainOptions;
  static constexpr Info info = windows_between_partners(
      {.name = "request_trains",
       .summary = "Round trips of a request, a train of them, a spaced train, and late receives: LogGP.",
       .calls = "MPI_Send, MPI_Recv",
       .timers = Timers::first,
       .time = "all parts one after another; see the phases",
       .timing = "call",
       .sync = "dissemination"});
  // PRTT(1,0,s); PRTT(n,0,s); n-1 delays d alone; PRTT(n,d,s); and with a reply to each request, received after d.
  static constexpr std::array<std::string_view, 5> phases{"single", "train", "delays", "spaced", "late"};
  static constexpr std::int64_t bytes_moved(const Shape&) { return 0; }
  static constexpr Memory memory(const Shape& shape, const Options& options) {
    return {.send_bytes = shape.bytes, .receive_bytes = options.window * shape.bytes};
  }
  static void check(const Request& request, const Options& options) {
    constexpr int least_window = 2;
    const std::string operation(request.operation);
    if (options.window < least_window) {
      throw InputError("window=" + std::to_string(options.window) + " of " + operation + " is too short a train; use " +
                       std::to_string(least_window) + " messages or more");
    }
    const auto place = request.settings.find("receive_window");
    if (place != request.settings.end() && value_text(place->second) != "separate") {
      throw InputError("receive_window=" + value_text(place->second) + " of " + operation +
                       " can't be: its messages are received one after the other; leave it out");
    }
    if (options.compute < 1) {
      throw InputError("compute=" + plain_number(options.compute) + " of " + operation +
                       " is too short a delay: a reply would not be there after it; use 1 round trip or more");
    }
  }

  Options options;
  BusyWork delay;
  std::vector<std::int64_t> phase_ns;  ///< of every repetition since they were last taken; 0 on the second rank
  std::int64_t taken = 0;

  /// A delay is made `compute` single round trips long.
  void open() {
    delay = BusyWork::lasting_as(site.comm, options.compute, 1, [this] { site.first ? ask(1) : answer(1); });
    phase_ns.assign(phases.size() * static_cast<std::size_t>(longest_batch), 0);
  }

  void send() noexcept { MPI_Send(buffers.send, site.count, site.type, site.partner, 0, site.comm); }
  void receive(int slot) noexcept {
    MPI_Recv(buffers.slot(site, slot), site.count, site.type, site.partner, 0, site.comm, MPI_STATUS_IGNORE);
  }
  void ask(int requests) noexcept {
    for (int i = 0; i < requests; ++i) send();
    receive(0);
  }
  void answer(int requests) noexcept {
    for (int i = 0; i < requests; ++i) receive(i);
    send();
  }

  void step() noexcept {
    const int last = options.window - 1;
    std::int64_t* own = &phase_ns[static_cast<std::size_t>(taken++) * phases.size()];
    if (!site.first) {
      answer(1);
      answer(options.window);
      answer(options.window);
      for (int i = 0; i < options.window; ++i) {
        receive(i);
        send();
      }
      return;
    }
    const std::int64_t begin = Monotonic::now();
    ask(1);
    const std::int64_t answered = Monotonic::now();
    ask(options.window);
    const std::int64_t passed = Monotonic::now();
    for (int i = 0; i < last; ++i) delay.run();
    const std::int64_t delayed = Monotonic::now();
    for (int i = 0; i < last; ++i) {
      send();
      delay.run();
    }
    ask(1);
    const std::int64_t spaced = Monotonic::now();
    for (int i = 0; i < last; ++i) {
      send();
      delay.run();
      receive(i);
    }
    send();
    receive(last);
    const std::int64_t end = Monotonic::now();
    own[0] = answered - begin;
    own[1] = passed - answered;
    own[2] = delayed - passed;
    own[3] = spaced - delayed;
    own[4] = end - spaced;
  }
};

using TrainsOfRequests = OperationList<RequestTrains>;

}  // namespace groma
