// A window of nonblocking messages at a time. By default every message of a window has its own place in the receive
// array: receives that are pending together must not overlap (MPI-4.1, 3.7.2). Programs that receive a whole window in
// one place are reproduced by receive_window=one.
#pragma once

#include <vector>

#include "groma/info.hpp"

namespace groma {

struct Stream {
  static constexpr Info info{.name = "stream",
                             .summary = "A window of nonblocking sends, answered by one acknowledgement.",
                             .calls = "MPI_Isend, MPI_Irecv, MPI_Waitall",
                             .family = Family::point_to_point,
                             .parties = Parties::pairs,
                             .min_ranks = 2,
                             .send = Size::message,
                             .receive = Size::window,
                             .result = Result::from_partner,
                             .holders = Holders::second,
                             .timers = Timers::first,
                             .sharing = Sharing::one_array,
                             .time = "one window and its acknowledgement",
                             .bandwidth = "window of messages over time, one direction, one pair"};
  static constexpr std::int64_t bytes_moved(const Shape& shape) { return shape.window * shape.bytes; }
  static constexpr std::int64_t messages(const Shape& shape) { return shape.window; }
  Site site;
  Buffers buffers;
  std::vector<MPI_Request> requests;
  void open() { requests.resize(static_cast<std::size_t>(site.window)); }
  void step() noexcept {
    constexpr int acknowledgement = 1;
    if (site.first) {
      for (int i = 0; i < site.window; ++i) {
        MPI_Isend(buffers.send, site.count, site.type, site.partner, 0, site.comm, &requests[i]);
      }
      MPI_Waitall(site.window, requests.data(), MPI_STATUSES_IGNORE);
      MPI_Recv(nullptr, 0, MPI_BYTE, site.partner, acknowledgement, site.comm, MPI_STATUS_IGNORE);
    } else {
      for (int i = 0; i < site.window; ++i) {
        MPI_Irecv(buffers.arrival(site, i), site.count, site.type, site.partner, 0, site.comm, &requests[i]);
      }
      MPI_Waitall(site.window, requests.data(), MPI_STATUSES_IGNORE);
      MPI_Send(nullptr, 0, MPI_BYTE, site.partner, acknowledgement, site.comm);
    }
  }
};

struct MessageRate : Stream {
  static constexpr Info info{.name = "message_rate",
                             .summary = "All pairs stream at once: how many messages a second the ranks get through.",
                             .calls = Stream::info.calls,
                             .family = Family::point_to_point,
                             .parties = Parties::pairs,
                             .min_ranks = 2,
                             .send = Size::message,
                             .receive = Size::window,
                             .result = Result::from_partner,
                             .holders = Holders::second,
                             .timers = Timers::first,
                             .sharing = Sharing::one_array,
                             .time = "one window on every pair, until the slowest pair is done",
                             .bandwidth = "windows of all pairs over time, one direction",
                             .pattern = "halves",
                             .sync = "dissemination"};
  static constexpr std::int64_t bytes_moved(const Shape& shape) { return shape.pairs() * Stream::bytes_moved(shape); }
  static constexpr std::int64_t messages(const Shape& shape) { return shape.pairs() * shape.window; }
};

struct BiStream {
  static constexpr Info info{.name = "bistream",
                             .summary = "A window of nonblocking messages in both directions at once.",
                             .calls = "MPI_Irecv, MPI_Isend, MPI_Waitall",
                             .family = Family::point_to_point,
                             .parties = Parties::pairs,
                             .min_ranks = 2,
                             .send = Size::message,
                             .receive = Size::window,
                             .result = Result::from_partner,
                             .time = "one window each way",
                             .bandwidth = "both windows over time, both directions, one pair"};
  static constexpr std::int64_t bytes_moved(const Shape& shape) { return 2 * shape.window * shape.bytes; }
  static constexpr std::int64_t messages(const Shape& shape) { return 2 * shape.window; }
  Site site;
  Buffers buffers;
  std::vector<MPI_Request> requests;
  void open() { requests.resize(2 * static_cast<std::size_t>(site.window)); }
  void step() noexcept {
    for (int i = 0; i < site.window; ++i) {
      MPI_Irecv(buffers.arrival(site, i), site.count, site.type, site.partner, 0, site.comm, &requests[i]);
    }
    for (int i = 0; i < site.window; ++i) {
      MPI_Isend(buffers.send, site.count, site.type, site.partner, 0, site.comm, &requests[site.window + i]);
    }
    MPI_Waitall(2 * site.window, requests.data(), MPI_STATUSES_IGNORE);
  }
};

/// As IMB's Biband: all pairs, and the second rank of each tells the first when it has everything.
struct BiMessageRate : BiStream {
  static constexpr Info info{.name = "bimessage_rate",
                             .summary = "All pairs stream in both directions at once, each window acknowledged.",
                             .calls = "MPI_Irecv, MPI_Isend, MPI_Waitall, MPI_Send, MPI_Recv",
                             .family = Family::point_to_point,
                             .parties = Parties::pairs,
                             .min_ranks = 2,
                             .send = Size::message,
                             .receive = Size::window,
                             .result = Result::from_partner,
                             .time = "one window each way on every pair, until the slowest pair is done",
                             .bandwidth = "windows of all pairs over time, both directions",
                             .pattern = "halves",
                             .sync = "dissemination"};
  static constexpr std::int64_t bytes_moved(const Shape& shape) { return shape.pairs() * BiStream::bytes_moved(shape); }
  static constexpr std::int64_t messages(const Shape& shape) { return shape.pairs() * BiStream::messages(shape); }
  void step() noexcept {
    constexpr int acknowledgement = 1;
    BiStream::step();
    if (site.first) {
      MPI_Recv(nullptr, 0, MPI_BYTE, site.partner, acknowledgement, site.comm, MPI_STATUS_IGNORE);
    } else {
      MPI_Send(nullptr, 0, MPI_BYTE, site.partner, acknowledgement, site.comm);
    }
  }
};

}  // namespace groma
