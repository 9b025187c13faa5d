// What one-sided communication costs besides its calls: synchronisation alone, a message until the target sees it, and
// windows made and freed.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "groma/operations/one_sided.hpp"

namespace groma {

/// No call at all. The window is some memory of the operation itself.
struct NoCall : Reaching {
  using Options = WindowOptions;
  static constexpr Info info{.name = "epoch",
                             .summary = "An epoch without calls",
                             .calls = "no call",
                             .family = Family::point_to_point,
                             .parties = Parties::pairs,
                             .min_ranks = 2,
                             .timers = Timers::first,
                             .one_sided = true,
                             .time = "one epoch without calls, on the first rank of each pair"};
  struct Call {
    static void now(const std::tuple<>&) noexcept {}
  };
  static constexpr std::tuple<> arguments(int) noexcept { return {}; }

  Options options;
  std::array<std::byte, 64> memory{};

  [[nodiscard]] std::span<std::byte> exposed() noexcept { return memory; }
  [[nodiscard]] void* exposed_place() noexcept { return memory.data(); }
};

template <class Epochs>
struct Alone : In<NoCall, Epochs> {
  static constexpr Text summary{"Synchronisation alone: ", Epochs::calls, "."};
  static constexpr Info info = named(NoCall::info, Alone::name, summary, Epochs::calls);
};

/// A message that is put, and then a flag that the target looks at: the flag is put when the message is complete there.
struct PutPingPong : Reaching {
  using Options = WindowOptions;
  static constexpr bool both_ways = true;
  static constexpr Info info = [] {
    Info own = between_partners({.name = "put_pingpong",
                                 .summary = "A message put to the partner, which sees it by a flag put after it, and "
                                            "one back.",
                                 .calls = "MPI_Put, MPI_Win_flush",
                                 .timers = Timers::first,
                                 .divisor = 2,
                                 .time = "one way, until the target has seen it: half the round trip",
                                 .bandwidth = "message size over one-way time, one direction at a time"});
    own.one_sided = true;
    return own;
  }();
  static constexpr std::int64_t bytes_moved(const Shape& shape) { return 2 * shape.bytes; }
  static constexpr std::int64_t messages(const Shape&) { return 2; }
  static void check(const Request& request, const Options& options) { require_caches(request, options.window); }

  Options options;
};

struct PutAndFlag : WithWindow<PutPingPong, AllLocked> {
  ExposedArray flag_window;
  std::vector<std::int64_t> flag = std::vector<std::int64_t>(8);  ///< written by the partner
  std::int64_t round = 0;

  void open() {
    WithWindow<PutPingPong, AllLocked>::open();
    flag_window.make(WindowMemory::created, site.comm, std::as_writable_bytes(std::span(flag)));
    MPI_Win_lock_all(0, flag_window.get());
  }
  void close() {
    MPI_Win_unlock_all(flag_window.get());
    flag_window.free();
    WithWindow<PutPingPong, AllLocked>::close();
  }
  void send() noexcept {
    MPI_Put(buffers.send, site.count, site.type, target, base, site.count, site.type, win());
    MPI_Win_flush(target, win());
    MPI_Put(&round, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, flag_window.get());
    MPI_Win_flush(target, flag_window.get());
  }
  /// The probe lets libraries make progress that need the target for it.
  void receive() noexcept {
    const volatile std::int64_t& seen = flag[0];
    while (seen != round) {
      int there = 0;
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, site.comm, &there, MPI_STATUS_IGNORE);
      MPI_Win_sync(flag_window.get());
    }
  }
  void step() noexcept {
    ++round;
    if (site.first) {
      send();
      receive();
    } else {
      receive();
      send();
    }
  }
};

struct WindowBytes {
  std::int64_t bytes = 0;
  static constexpr auto table() {
    return std::array{option<&WindowBytes::bytes>(
        parameter::size("window_bytes", "4096", {1, 1e12}, "each rank's part of a window that is made and freed"))};
  }
};

/// A window is made and freed.
struct MakingWindow : Placed {
  using Options = WindowBytes;
  static constexpr Info of(std::string_view name, std::string_view summary, std::string_view calls) {
    return {.name = name, .summary = summary, .calls = calls, .time = "one window made and freed"};
  }
  Options options;
  std::vector<std::byte> memory;
  MPI_Win made = MPI_WIN_NULL;
  void* own = nullptr;  ///< memory that the library chose

  void open() { memory.resize(static_cast<std::size_t>(options.bytes)); }
};

struct WinCreate : MakingWindow {
  static constexpr Info info =
      of("win_create", "A window over memory that is there, made and freed.", "MPI_Win_create, MPI_Win_free");
  void step() noexcept {
    MPI_Win_create(memory.data(), static_cast<MPI_Aint>(options.bytes), 1, MPI_INFO_NULL, site.comm, &made);
    MPI_Win_free(&made);
  }
};
struct WinAllocate : MakingWindow {
  static constexpr Info info =
      of("win_allocate", "A window with memory of the library, made and freed.", "MPI_Win_allocate, MPI_Win_free");
  void step() noexcept {
    MPI_Win_allocate(static_cast<MPI_Aint>(options.bytes), 1, MPI_INFO_NULL, site.comm, &own, &made);
    MPI_Win_free(&made);
  }
};
struct WinAllocateShared : MakingWindow {
  static constexpr Info info = of("win_allocate_shared",
                                  "A window of memory that the ranks of a node share, made and "
                                  "freed.",
                                  "MPI_Win_allocate_shared, MPI_Win_free");
  void step() noexcept {
    MPI_Win_allocate_shared(static_cast<MPI_Aint>(options.bytes), 1, MPI_INFO_NULL, site.comm, &own, &made);
    MPI_Win_free(&made);
  }
};
struct WinCreateDynamic : MakingWindow {
  static constexpr Info info = of("win_create_dynamic", "A window made, memory attached and detached, and it freed.",
                                  "MPI_Win_create_dynamic, MPI_Win_attach, MPI_Win_detach, MPI_Win_free");
  void step() noexcept {
    MPI_Win_create_dynamic(MPI_INFO_NULL, site.comm, &made);
    MPI_Win_attach(made, memory.data(), static_cast<MPI_Aint>(options.bytes));
    MPI_Win_detach(made, memory.data());
    MPI_Win_free(&made);
  }
};

using EpochsAlone =
    OperationList<Alone<Flush>, Alone<FlushLocal>, Alone<FlushAll>, Alone<FlushLocalAll>, Alone<Lock>, Alone<LockAll>,
                  Alone<Fence>, Alone<Pscw>, Alone<Tested<Pscw>>, Alone<WinSync>, PutAndFlag>;
using WindowsMade = OperationList<WinCreate, WinAllocate, WinAllocateShared, WinCreateDynamic>;

}  // namespace groma
