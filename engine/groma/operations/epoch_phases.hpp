// What each part of a one-sided epoch takes: what opens it, its calls, and what completes them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "groma/clock/clocks.hpp"
#include "groma/operations/atomics.hpp"
#include "groma/operations/epochs_alone.hpp"
#include "groma/operations/overlap.hpp"
#include "groma/operations/puts.hpp"
#include "groma/stopping/stop.hpp"

namespace groma {

enum class LateCall { none, post, close, wait };
inline constexpr Choice late_calls[] = {{"none", "no call"},
                                        {"post", "MPI_Win_post, at the target"},
                                        {"close", "what completes the calls, at the origin"},
                                        {"wait", "MPI_Win_wait or MPI_Win_test, at the target"}};

/// The options of the calls, and which call of an epoch comes late.
template <class Reached>
struct WithLateCall : Reached {
  LateCall late = LateCall::none;
  double late_us = 100;

  static constexpr auto table() {
    constexpr auto own = std::array{
        option<&WithLateCall::late>(parameter::choice("late_call", "none", late_calls,
                                                      "which call of an epoch comes late_us after the one before it")),
        option<&WithLateCall::late_us>(
            parameter::number("late_us", "100", "us", {0, 1e6}, "how late that call of an epoch comes"))};
    constexpr auto theirs = Reached::table();
    std::array<Option, theirs.size() + own.size()> all{};
    std::copy(own.begin(), own.end(), std::copy(theirs.begin(), theirs.end(), all.begin()));
    return all;
  }
};

/// A fence opens an epoch, and another one completes it.
struct TwoFences : Epoch {
  static constexpr std::string_view name = "fence";
  static constexpr std::string_view calls = "MPI_Win_fence";
  void enter() noexcept { MPI_Win_fence(MPI_MODE_NOPRECEDE, at.window); }
  void together() noexcept { MPI_Win_fence(MPI_MODE_NOSUCCEED, at.window); }
};

/// Parts of a repetition, in ns, as many as `phases` names.
template <std::size_t parts>
struct PhaseTimes {
  std::vector<std::int64_t> phase_ns;  ///< of every repetition since they were last taken
  std::int64_t taken = 0;

  void make_room() { phase_ns.resize(parts * static_cast<std::size_t>(longest_batch)); }
  /// The parts lie between these stamps.
  void keep(const std::array<std::int64_t, parts + 1>& stamps) noexcept {
    std::int64_t* own = &phase_ns[static_cast<std::size_t>(taken++) * parts];
    for (std::size_t part = 0; part < parts; ++part) own[part] = stamps[part + 1] - stamps[part];
  }
};

/// An epoch in parts. A rank that is only reached has its post and its wait, and no calls.
template <class Of, class Epochs>
struct Phased : WithWindow<Of, Epochs>, PhaseTimes<4> {
  using Options = WithLateCall<OptionsOf<Of>>;
  static constexpr Text name{"phases/", Of::info.name, "/", Epochs::name};
  static constexpr Text summary{"The parts of an epoch, each timed: ", Of::info.name, " by ", Epochs::name, "."};
  static constexpr Text calls{Of::info.calls, ", ", Epochs::calls};
  static constexpr Info info = [] {
    Info own = named(Of::info, name, summary, calls);
    own.time = "one epoch, with what opens it; see the phases";
    own.bandwidth = {};
    own.timing = "call";
    own.sync = "dissemination";
    return own;
  }();
  static constexpr std::array<std::string_view, 4> phases{"open", "calls", "late", "close"};
  static constexpr std::int64_t bytes_moved(const Shape&) { return 0; }
  static constexpr std::int64_t messages(const Shape&) { return 0; }

  Options options;
  std::int64_t before_ns = 0;   ///< wait before the epoch is opened
  std::int64_t between_ns = 0;  ///< and before it is closed

  void open() {
    Of::options = options;
    WithWindow<Of, Epochs>::open();
    make_room();
    const auto late_ns = static_cast<std::int64_t>(1e3 * options.late_us);
    if (options.late == LateCall::post && this->serving) before_ns = late_ns;
    if (options.late == LateCall::close && this->calling) between_ns = late_ns;
    if (options.late == LateCall::wait && this->serving) between_ns = late_ns;
  }
  void close() {
    if constexpr (requires { this->forget(); }) this->forget();
    WithWindow<Of, Epochs>::close();
  }
  static std::int64_t after(std::int64_t wait_ns) noexcept {
    const std::int64_t begin = Monotonic::now();
    std::int64_t now = begin;
    while (now - begin < wait_ns) now = Monotonic::now();
    return now;
  }
  void enter() noexcept {
    if constexpr (requires { this->epoch.enter(); }) this->epoch.enter();
    if (this->serving) this->epoch.post();
    if (this->calling) this->epoch.start();
  }
  void call() noexcept {
    if (!this->calling) return;
    for (int index = 0; index < this->call_count(); ++index) Of::Call::now(this->arguments(index));
  }
  void leave() noexcept {
    if (this->calling) this->epoch.complete();
    if (this->serving) this->epoch.wait();
    this->epoch.together();
  }
  void step() noexcept {
    if constexpr (requires { this->prepare(); }) this->prepare();
    const std::int64_t begin = after(before_ns);
    enter();
    const std::int64_t opened = Monotonic::now();
    call();
    const std::int64_t called = Monotonic::now();
    const std::int64_t closing = after(between_ns);
    leave();
    keep({begin, opened, called, closing, Monotonic::now()});
  }
};

/// As put, with a datatype that no call has seen before: it is made before the epoch, and the last one freed.
struct PutOfNewType : Put {
  static constexpr Info info =
      named(Put::info, "put_of_new_type", "A message of a datatype made anew is written to the partner's memory",
            "MPI_Type_dup, MPI_Type_free, MPI_Put");
  MPI_Datatype made = MPI_DATATYPE_NULL;

  void prepare() noexcept {
    forget();
    MPI_Type_dup(site.type, &made);
  }
  void forget() noexcept {
    if (made != MPI_DATATYPE_NULL) MPI_Type_free(&made);
  }
  auto arguments(int index) const noexcept {
    return std::tuple(buffers.send, site.count, made, target, displacement(index), site.count, made, win());
  }
};

/// An epoch that is opened with its calls, and closed by itself.
template <class Of, class Epochs>
struct Begun : WithWindow<Of, Epochs> {
  void start() noexcept {
    if constexpr (requires { this->epoch.enter(); }) this->epoch.enter();
    this->epoch.post();
    this->epoch.start();
    for (int index = 0; index < this->call_count(); ++index) Of::Call::now(this->arguments(index));
  }
  void test() noexcept {
    int there = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, this->site.comm, &there, MPI_STATUS_IGNORE);
  }
  void wait() noexcept {
    this->epoch.complete();
    this->epoch.wait();
    this->epoch.together();
  }
};
template <class Of, class Epochs>
struct OverlappedEpoch : AroundWork<Begun<Of, Epochs>> {
  static constexpr Text name{"overlap/", Of::info.name, "/", Epochs::name};
  static constexpr Text summary{"The epoch of ", Of::info.name, "/", Epochs::name,
                                " alone, work alone, and the work inside it."};
  static constexpr Text calls{Of::info.calls, ", ", Epochs::calls, ", MPI_Iprobe"};
  static constexpr Info info = OverlappedEpoch::in_parts(named(Of::info, name, summary, calls));
};

/// As the first rank sees it, alone.
template <class Of>
struct AtFirst : Of {
  static constexpr Info info = [] {
    Info own = Of::info;
    own.timers = Timers::first;
    return own;
  }();
};

/// A window made and freed, each by itself.
struct WinCreateInParts : WinCreate, PhaseTimes<2> {
  static constexpr Info info = [] {
    Info own = named(WinCreate::info, "phases/win_create", "As win_create, making and freeing each timed.",
                     WinCreate::info.calls);
    own.time = "one window made and freed; see the phases";
    own.timing = "call";
    return own;
  }();
  static constexpr std::array<std::string_view, 2> phases{"make", "free"};

  void open() {
    WinCreate::open();
    make_room();
  }
  void step() noexcept {
    const std::int64_t begin = Monotonic::now();
    MPI_Win_create(memory.data(), static_cast<MPI_Aint>(options.bytes), 1, MPI_INFO_NULL, site.comm, &made);
    const std::int64_t between = Monotonic::now();
    MPI_Win_free(&made);
    keep({begin, between, Monotonic::now()});
  }
};

/// One message, and what each of its sender's calls takes.
struct IsendInParts : MessagesCounted<1>, PhaseTimes<2> {
  static constexpr Info info = [] {
    Info own = between_partners({.name = "phases/isend",
                                 .summary = "The parts of a nonblocking send, each timed: started, waited for.",
                                 .calls = "MPI_Isend, MPI_Wait, MPI_Irecv",
                                 .holders = Holders::second,
                                 .timers = Timers::first,
                                 .time = "one send and the wait for it; see the phases",
                                 .timing = "call",
                                 .sync = "dissemination"});
    return own;
  }();
  static constexpr std::array<std::string_view, 2> phases{"start", "wait"};
  MPI_Request request = MPI_REQUEST_NULL;

  void open() { make_room(); }
  void step() noexcept {
    const std::int64_t begin = Monotonic::now();
    if (site.first) {
      MPI_Isend(buffers.send, site.count, site.type, site.partner, 0, site.comm, &request);
    } else {
      MPI_Irecv(buffers.receive, site.count, site.type, site.partner, 0, site.comm, &request);
    }
    const std::int64_t started = Monotonic::now();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    keep({begin, started, Monotonic::now()});
  }
};

using EpochPhases =
    OperationList<Phased<Put, Flush>, Phased<Put, Lock>, Phased<Put, LockAll>, Phased<Put, TwoFences>,
                  Phased<Put, Pscw>, Phased<PutOfNewType, TwoFences>, Phased<PutAround, TwoFences>,
                  Phased<PutToAll, TwoFences>, Phased<PutFromOne, TwoFences>, Phased<PutFromOne, PscwWithFirst>,
                  Phased<PutToOne, TwoFences>, Phased<AtFirst<PutToOne>, PscwWithFirst>,
                  Phased<AtFirst<PutToOne>, Tested<PscwWithFirst>>, Phased<Get, Flush>, Phased<Get, Lock>,
                  Phased<Get, TwoFences>, Phased<Get, Pscw>, Phased<Accumulate, Pscw>,
                  Phased<AccumulateToAll, TwoFences>, Phased<FanIn<Accumulate>, TwoFences>,
                  Phased<AtFirst<FanIn<Accumulate>>, PscwWithFirst>, OverlappedEpoch<GetFromNeighbours, TwoFences>,
                  OverlappedEpoch<GetFromNeighbours, PscwWithNeighbours>, WinCreateInParts, IsendInParts>;

}  // namespace groma
