// One-sided communication: what calls and epochs have in common. A call states its arguments once:
//
//   struct Put : OneSided {
//     static constexpr Info info = ...;
//     using Call = Calls<MPI_Put, MPI_Rput>;
//     auto arguments(int index) const noexcept { return std::tuple(buffers.send, ..., win()); }
//   };
//
// and In<Put, Flush> is `put/flush`: calls of a repetition, and the epoch around them (epochs.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "groma/errors.hpp"
#include "groma/mpi/exposed_array.hpp"
#include "groma/operations/epochs.hpp"
#include "groma/operations/forms.hpp"
#include "groma/operations/traffic.hpp"

namespace groma {

inline constexpr Parameter rma_window_parameter = parameter::choice(
    "rma_window", "created", window_memories, "what the window of one-sided communication is made of");

enum class EpochSource { one, separate };
inline constexpr Choice epoch_sources[] = {{"one", "the same message, which stays in the cache"},
                                           {"separate", "a message of its own for each, as osu_put_bw and osu_get_bw"}};

enum class EpochLock { shared, exclusive };
inline constexpr Choice epoch_locks[] = {{"shared", "others may hold one too"},
                                         {"exclusive", "nobody else may hold one"}};

struct EpochOptions {
  WindowMemory window = WindowMemory::created;
  int calls = 1;
  EpochSource source = EpochSource::one;
  EpochLock lock = EpochLock::shared;

  static constexpr auto table() {
    return std::array{option<&EpochOptions::window>(rma_window_parameter),
                      option<&EpochOptions::calls>(parameter::count(
                          "epoch_calls", "1", "calls", {1, 65536},
                          "one-sided calls before they are completed together, each into a place of its own")),
                      option<&EpochOptions::source>(
                          parameter::choice("epoch_source", "one", epoch_sources, "what the calls of an epoch read")),
                      option<&EpochOptions::lock>(parameter::choice("epoch_lock", "shared", epoch_locks,
                                                                    "what MPI_Win_lock asks for, in epochs of lock"))};
  }
  [[nodiscard]] constexpr int sources() const { return source == EpochSource::separate ? calls : 1; }
};

/// Of operations whose calls in an epoch are a given number.
struct WindowOptions {
  WindowMemory window = WindowMemory::created;

  static constexpr auto table() { return std::array{option<&WindowOptions::window>(rma_window_parameter)}; }
};

/// The array of a rank that calls of others reach, and who calls whom: the first rank of each pair reaches the second.
struct Reaching : Placed {
  static constexpr bool both_ways = false;
  static void require_caches(const Request& request, WindowMemory window) {
    const bool in_place = window == WindowMemory::created || window == WindowMemory::dynamic;
    if (request.cache != "flush" || in_place) return;
    throw InputError("cache=flush of " + std::string(request.operation) +
                     " needs rma_window=created or dynamic: it drops the lines of the arrays, and this window has "
                     "memory of its own");
  }

  ExposedArray window;
  MPI_Aint place = 0;  ///< from the start of the exposed array, the same on all ranks
  MPI_Aint base = 0;   ///< displacement of the first place in the target's window
  int target = 0;
  bool calling = true;
  bool serving = true;

  [[nodiscard]] MPI_Win win() const noexcept { return window.get(); }
  [[nodiscard]] int call_count() const noexcept { return 1; }   ///< in an epoch
  [[nodiscard]] int place_count() const noexcept { return 1; }  ///< messages that the exposed array holds
  [[nodiscard]] MPI_Aint displacement(int index) const noexcept { return base + index * site.message_bytes; }
  /// Sets whom this rank reaches.
  void choose_target(bool both) {
    target = site.partner;
    calling = both || site.first;
    serving = both || !site.first;
  }
  /// What others reach: the array that receives. A call that reads reaches the one that is sent.
  [[nodiscard]] std::span<std::byte> exposed() const noexcept { return site.receive_array; }
  [[nodiscard]] void* exposed_place() const noexcept { return buffers.receive; }
  /// What the exposed array holds before the calls, besides what `fill` wrote.
  void begin_contents() {}
};

/// The same with `epoch_calls` messages, each in a place of its own.
struct OneSided : Reaching {
  using Options = EpochOptions;
  static constexpr std::int64_t bytes_moved(const Shape& shape, const Options& options) {
    return options.calls * shape.bytes;
  }
  static constexpr std::int64_t messages(const Shape&, const Options& options) { return options.calls; }
  static constexpr Memory memory(const Shape& shape, const Options& options) {
    return {.send_bytes = options.sources() * shape.bytes, .receive_bytes = options.calls * shape.bytes};
  }
  static void check(const Request& request, const Options& options) {
    require_caches(request, options.window);
    if (options.sources() == 1 || request.cache == "warm") return;
    throw InputError("epoch_source=separate of " + std::string(request.operation) +
                     " needs cache=warm: its messages are copies, made in one place");
  }

  Options options;
  std::int64_t source_bytes = 0;  ///< from one message that is read to the next
  [[nodiscard]] int call_count() const noexcept { return options.calls; }
  [[nodiscard]] int place_count() const noexcept { return options.calls; }
  /// The message that a call of an epoch reads at the origin.
  [[nodiscard]] void* source(int index) const noexcept {
    return static_cast<std::byte*>(buffers.send) + index * source_bytes;
  }
  void begin_contents() {
    source_bytes = options.sources() > 1 ? site.message_bytes : 0;
    for (int index = 1; index < options.sources(); ++index) {
      std::memcpy(buffers.outgoing(site, index), buffers.send, static_cast<std::size_t>(site.message_bytes));
    }
  }
};

/// `own`, of calls of the first rank that reach the second.
constexpr Info one_sided(Info own) {
  own = windows_between_partners(own);
  own.one_sided = true;
  own.timers = Timers::first;
  own.bandwidth = "messages of an epoch over time, one direction";
  return own;
}

/// Made and freed with the operation: the window, and its epochs.
template <class Of, class Epochs>
struct WithWindow : Of {
  Epochs epoch;

  static void check(const Request& request, const typename Of::Options& options) {
    if constexpr (requires { Of::check(request, options); }) Of::check(request, options);
    if constexpr (requires { options.lock; } && !std::is_same_v<Epochs, Lock>) {
      if (options.lock == EpochLock::shared) return;
      throw InputError("epoch_lock=exclusive of " + std::string(request.operation) +
                       " can't be: its epoch is not one of lock; leave it out");
    }
  }
  void open() {
    this->choose_target(Of::both_ways);
    this->window.make(this->options.window, this->site.comm, this->exposed());
    epoch.at = {.window = this->win(), .comm = this->site.comm, .rank = this->site.rank, .target = this->target};
    if constexpr (requires { this->options.lock; }) {
      if (this->options.lock == EpochLock::exclusive) epoch.at.lock = MPI_LOCK_EXCLUSIVE;
    }
    epoch.open();
  }
  void bind() {
    this->place = static_cast<std::byte*>(this->exposed_place()) - this->exposed().data();
    this->base = this->window.start(this->target) + this->place;
  }
  /// After `fill`: what it wrote is what other ranks find.
  void expose() {
    this->begin_contents();
    this->window.load(set_bytes());
    epoch.settle();
  }
  /// Before the arrays are looked at, or filled again: every call is over everywhere.
  void deliver() {
    epoch.settle();
    if (this->serving) this->window.store(set_bytes());  // an origin's array holds what it fetched
  }
  void close() {
    epoch.close();
    this->window.free();
  }
  [[nodiscard]] std::size_t set_bytes() const {
    return static_cast<std::size_t>(this->place_count() * this->site.message_bytes);
  }
};

template <class Of, class Epochs>
struct In : WithWindow<Of, Epochs> {
  static constexpr Text name{Of::info.name, "/", Epochs::name};
  static constexpr Text summary{Of::info.summary, ", until ", Epochs::until, "."};
  static constexpr Text calls{Of::info.calls, ", ", Epochs::calls};
  static constexpr Info info = named(Of::info, name, summary, calls);

  void step() noexcept {
    if (this->serving) this->epoch.post();
    if (this->calling) {
      this->epoch.start();
      for (int index = 0; index < this->call_count(); ++index) Of::Call::now(this->arguments(index));
      this->epoch.complete();
      if constexpr (requires { this->take_turns(); }) this->take_turns();
    }
    if (this->serving) this->epoch.wait();
    this->epoch.together();
  }
};

/// Another epoch of a call whose first is that of flush.
template <class Of, class Epochs>
struct Also : In<Of, Epochs> {
  static constexpr Text first{Of::info.name, "/flush"};
  static constexpr Info info = form_of(
      [] {
        Info own = Of::info;
        own.form_of = first;
        return own;
      }(),
      Also::name, Also::summary, Also::calls);
};

/// With requests, which are complete when the origin may use its arrays again.
template <class Of>
struct Requested : WithWindow<Of, AllLocked> {
  static constexpr Text first{Of::info.name, "/flush"};
  static constexpr Text name{"r", Of::info.name};
  static constexpr Text summary{Of::info.summary, ", until its request is complete: at the origin alone."};
  static constexpr Text calls{Of::requests, ", MPI_Waitall"};
  static constexpr Info info = [] {
    Info own = named(Of::info, name, summary, calls);
    own.form_of = first;
    return own;
  }();
  std::vector<MPI_Request> requests;

  void open() {
    WithWindow<Of, AllLocked>::open();
    requests.resize(static_cast<std::size_t>(this->options.calls));
  }
  void step() noexcept {
    if (!this->calling) return;
    for (int index = 0; index < this->options.calls; ++index) Of::Call::start(this->arguments(index), &requests[index]);
    MPI_Waitall(this->options.calls, requests.data(), MPI_STATUSES_IGNORE);
  }
};

template <class Of>
using AllEpochs = OperationList<In<Of, Flush>, Also<Of, FlushLocal>, Also<Of, Lock>, Also<Of, LockAll>, Also<Of, Fence>,
                                Also<Of, Pscw>>;

}  // namespace groma
