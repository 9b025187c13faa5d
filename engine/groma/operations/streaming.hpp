// A window of nonblocking messages at a time. By default every message of a window has its own place in the receive
// array: receives that are pending together must not overlap (MPI-4.1, 3.7.2). Programs that receive a whole window in
// one place are reproduced by receive_window=one.
#pragma once

#include <array>
#include <vector>

#include "groma/operations/placed_requests.hpp"
#include "groma/operations/shared_parameters.hpp"
#include "groma/operations/traffic.hpp"

namespace groma {

enum class ReceiveWindow { separate, one };

inline constexpr Choice receive_windows[] = {
    {"separate", "a separate buffer for every message of the window"},
    {"one",
     "the same place for all of them, as osu_bw, osu_mbw_mr and Uniband do: receives that are pending together "
     "overlap, which MPI forbids (MPI-4.1, 3.7.2) and libraries let pass"}};

struct StreamOptions {
  int window = 1;
  ReceiveWindow receive_window = ReceiveWindow::separate;

  static constexpr auto table() {
    return std::array{
        option<&StreamOptions::window>(window_parameter),
        option<&StreamOptions::receive_window>(parameter::choice("receive_window", "separate", receive_windows,
                                                                 "receive buffers of the messages of a window"))};
  }
  [[nodiscard]] constexpr bool one_place() const { return receive_window == ReceiveWindow::one; }
};

/// What all streams have in common.
struct Streaming : Placed {
  using Options = StreamOptions;
  static constexpr Memory memory(const Shape& shape, const Options& options) {
    return {.send_bytes = shape.bytes, .receive_bytes = (options.one_place() ? 1 : options.window) * shape.bytes};
  }

  Options options;
  std::vector<MPI_Request> requests;
  std::int64_t stride = 0;  ///< from one message of a window to the next in the receive array

  void open() {
    requests.resize(2 * static_cast<std::size_t>(options.window));
    stride = options.one_place() ? 0 : site.message_bytes;
  }
  /// Where message `index` of a window is received.
  [[nodiscard]] void* arrival(int index) const noexcept {
    return static_cast<std::byte*>(buffers.receive) + index * stride;
  }
};

struct Stream : Streaming {
  static constexpr Info info =
      windows_between_partners({.name = "stream",
                                .summary = "A window of nonblocking sends, answered by one acknowledgement.",
                                .calls = "MPI_Isend, MPI_Irecv, MPI_Waitall",
                                .holders = Holders::second,
                                .timers = Timers::first,
                                .sharing = Sharing::one_array,
                                .time = "one window and its acknowledgement",
                                .bandwidth = "window of messages over time, one direction, one pair"});
  static constexpr std::int64_t bytes_moved(const Shape& shape, const Options& options) {
    return options.window * shape.bytes;
  }
  static constexpr std::int64_t messages(const Shape&, const Options& options) { return options.window; }
  void step() noexcept {
    if (site.first) {
      for (int i = 0; i < options.window; ++i) {
        MPI_Isend(buffers.send, site.count, site.type, site.partner, 0, site.comm, &requests[i]);
      }
    } else {
      for (int i = 0; i < options.window; ++i) {
        MPI_Irecv(arrival(i), site.count, site.type, site.partner, 0, site.comm, &requests[i]);
      }
    }
    MPI_Waitall(options.window, requests.data(), MPI_STATUSES_IGNORE);
    acknowledge();
  }
  /// The second rank has the whole window.
  void acknowledge() const noexcept {
    constexpr int acknowledgement = 1;
    if (site.first) {
      MPI_Recv(nullptr, 0, MPI_BYTE, site.partner, acknowledgement, site.comm, MPI_STATUS_IGNORE);
    } else {
      MPI_Send(nullptr, 0, MPI_BYTE, site.partner, acknowledgement, site.comm);
    }
  }
  /// The window as persistent requests.
  [[nodiscard]] PlacedRequests::Requests made() const {
    PlacedRequests::Requests window(static_cast<std::size_t>(options.window));
    for (int i = 0; i < options.window; ++i) {
      if (site.first) {
        MPI_Send_init(buffers.send, site.count, site.type, site.partner, 0, site.comm, &window[i]);
      } else {
        MPI_Recv_init(arrival(i), site.count, site.type, site.partner, 0, site.comm, &window[i]);
      }
    }
    return window;
  }
};

/// A stream on every pair at once.
template <class Streams>
struct OnAllPairs : Streams {
  using Options = StreamOptions;
  static constexpr Info common(Info own, std::string_view time, std::string_view bandwidth) {
    own.time = time;
    own.bandwidth = bandwidth;
    own.pattern = "halves";
    own.sync = "dissemination";
    return own;
  }
  static constexpr std::int64_t bytes_moved(const Shape& shape, const Options& options) {
    return shape.pairs() * Streams::bytes_moved(shape, options);
  }
  static constexpr std::int64_t messages(const Shape& shape, const Options& options) {
    return shape.pairs() * Streams::messages(shape, options);
  }
};

struct MessageRate : OnAllPairs<Stream> {
  static constexpr Info info = common(
      named(Stream::info, "message_rate", "All pairs stream at once: messages per second of all ranks.",
            Stream::info.calls),
      "one window on every pair, until the slowest pair is done", "windows of all pairs over time, one direction");
};

struct BiStream : Streaming {
  static constexpr Info info =
      windows_between_partners({.name = "bistream",
                                .summary = "A window of nonblocking messages in both directions at once.",
                                .calls = "MPI_Irecv, MPI_Isend, MPI_Waitall",
                                .time = "one window each way",
                                .bandwidth = "both windows over time, both directions, one pair"});
  static constexpr std::int64_t bytes_moved(const Shape& shape, const Options& options) {
    return std::int64_t{2} * options.window * shape.bytes;
  }
  static constexpr std::int64_t messages(const Shape&, const Options& options) {
    return std::int64_t{2} * options.window;
  }
  void start() noexcept {
    for (int i = 0; i < options.window; ++i) {
      MPI_Irecv(arrival(i), site.count, site.type, site.partner, 0, site.comm, &requests[i]);
    }
    for (int i = 0; i < options.window; ++i) {
      MPI_Isend(buffers.send, site.count, site.type, site.partner, 0, site.comm, &requests[options.window + i]);
    }
  }
  /// Receives and sends as persistent requests.
  [[nodiscard]] PlacedRequests::Requests made() const {
    PlacedRequests::Requests both(2 * static_cast<std::size_t>(options.window));
    for (int i = 0; i < options.window; ++i) {
      MPI_Recv_init(arrival(i), site.count, site.type, site.partner, 0, site.comm, &both[i]);
      MPI_Send_init(buffers.send, site.count, site.type, site.partner, 0, site.comm, &both[options.window + i]);
    }
    return both;
  }
  /// Waits for the sends, then for the receives, as osu_bibw.
  void step() noexcept {
    start();
    MPI_Waitall(options.window, requests.data() + options.window, MPI_STATUSES_IGNORE);
    MPI_Waitall(options.window, requests.data(), MPI_STATUSES_IGNORE);
  }
};

/// As IMB's Biband: all pairs, one wait for sends and receives, and the second rank of each tells the first when it has
/// everything.
struct BiMessageRate : OnAllPairs<BiStream> {
  static constexpr Info info = common(
      named(BiStream::info, "bimessage_rate", "All pairs stream in both directions at once, each window acknowledged.",
            "MPI_Irecv, MPI_Isend, MPI_Waitall, MPI_Send, MPI_Recv"),
      "one window each way on every pair, until the slowest pair is done",
      "windows of all pairs over time, both directions");
  void step() noexcept {
    constexpr int acknowledgement = 1;
    start();
    MPI_Waitall(2 * options.window, requests.data(), MPI_STATUSES_IGNORE);
    if (site.first) {
      MPI_Recv(nullptr, 0, MPI_BYTE, site.partner, acknowledgement, site.comm, MPI_STATUS_IGNORE);
    } else {
      MPI_Send(nullptr, 0, MPI_BYTE, site.partner, acknowledgement, site.comm);
    }
  }
};

/// The window of a stream as persistent requests, made once for each place of the arrays.
template <class Streams>
struct StartedWindow : Streams {
  PlacedRequests kept;
  MPI_Request* window = nullptr;

  void bind() {
    window = kept.at(this->buffers, [this] { return static_cast<const Streams*>(this)->made(); });
  }
  void close() { kept.free(); }
};

struct StreamPersistent : StartedWindow<Stream> {
  static constexpr Info info =
      named(Stream::info, "stream_persistent", "As stream, with persistent requests that are started together.",
            "MPI_Send_init, MPI_Recv_init, MPI_Startall, MPI_Waitall");
  void step() noexcept {
    MPI_Startall(options.window, window);
    MPI_Waitall(options.window, window, MPI_STATUSES_IGNORE);
    acknowledge();
  }
};

/// Waits for the sends, then for the receives, as osu_bibw_persistent.
struct BiStreamPersistent : StartedWindow<BiStream> {
  static constexpr Info info =
      named(BiStream::info, "bistream_persistent", "As bistream, with persistent requests that are started together.",
            "MPI_Recv_init, MPI_Send_init, MPI_Startall, MPI_Waitall");
  void step() noexcept {
    MPI_Startall(options.window, window);
    MPI_Startall(options.window, window + options.window);
    MPI_Waitall(options.window, window + options.window, MPI_STATUSES_IGNORE);
    MPI_Waitall(options.window, window, MPI_STATUSES_IGNORE);
  }
};

using Streams = OperationList<Stream, StreamPersistent, BiStream, BiStreamPersistent, BiMessageRate, MessageRate>;

}  // namespace groma
