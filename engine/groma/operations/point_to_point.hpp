// One message at a time between two ranks, or around a ring.
#pragma once

#include "groma/info.hpp"

namespace groma {

struct PingPong {
  static constexpr Info info{.name = "pingpong",
                             .summary = "A message to the partner and one of the same size back.",
                             .calls = "MPI_Send, MPI_Recv",
                             .family = Family::point_to_point,
                             .parties = Parties::pairs,
                             .min_ranks = 2,
                             .send = Size::message,
                             .receive = Size::message,
                             .result = Result::from_partner,
                             .timers = Timers::first,
                             .sharing = Sharing::one_array,
                             .divisor = 2,
                             .time = "one way: half the round trip",
                             .bandwidth = "message size over one-way time, one direction at a time"};
  static constexpr std::int64_t bytes_moved(const Shape& shape) { return 2 * shape.bytes; }
  static constexpr std::int64_t messages(const Shape&) { return 2; }
  Site site;
  Buffers buffers;
  void step() noexcept {
    if (site.first) {
      MPI_Send(buffers.send, site.count, site.type, site.partner, 0, site.comm);
      MPI_Recv(buffers.receive, site.count, site.type, site.partner, 0, site.comm, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(buffers.receive, site.count, site.type, site.partner, 0, site.comm, MPI_STATUS_IGNORE);
      MPI_Send(buffers.send, site.count, site.type, site.partner, 0, site.comm);
    }
  }
};

struct PingPongSynchronous {
  static constexpr Info info{.name = "pingpong_synchronous",
                             .summary = "As pingpong, with sends that wait for the receiver: no eager protocol.",
                             .calls = "MPI_Ssend, MPI_Recv",
                             .family = Family::point_to_point,
                             .parties = Parties::pairs,
                             .min_ranks = 2,
                             .send = Size::message,
                             .receive = Size::message,
                             .result = Result::from_partner,
                             .timers = Timers::first,
                             .sharing = Sharing::one_array,
                             .divisor = 2,
                             .time = "one way: half the round trip",
                             .bandwidth = "message size over one-way time, one direction at a time"};
  static constexpr std::int64_t bytes_moved(const Shape& shape) { return 2 * shape.bytes; }
  static constexpr std::int64_t messages(const Shape&) { return 2; }
  Site site;
  Buffers buffers;
  void step() noexcept {
    if (site.first) {
      MPI_Ssend(buffers.send, site.count, site.type, site.partner, 0, site.comm);
      MPI_Recv(buffers.receive, site.count, site.type, site.partner, 0, site.comm, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(buffers.receive, site.count, site.type, site.partner, 0, site.comm, MPI_STATUS_IGNORE);
      MPI_Ssend(buffers.send, site.count, site.type, site.partner, 0, site.comm);
    }
  }
};

struct PingPing {
  static constexpr Info info{.name = "pingping",
                             .summary = "Both partners send at once, then receive.",
                             .calls = "MPI_Isend, MPI_Recv, MPI_Wait",
                             .family = Family::point_to_point,
                             .parties = Parties::pairs,
                             .min_ranks = 2,
                             .send = Size::message,
                             .receive = Size::message,
                             .result = Result::from_partner,
                             .time = "one exchange",
                             .bandwidth = "message size over time: one of the two directions"};
  static constexpr std::int64_t messages(const Shape&) { return 1; }
  Site site;
  Buffers buffers;
  void step() noexcept {
    MPI_Request request;
    MPI_Isend(buffers.send, site.count, site.type, site.partner, 0, site.comm, &request);
    MPI_Recv(buffers.receive, site.count, site.type, site.partner, 0, site.comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
};

struct SendRecv {
  static constexpr Info info{.name = "sendrecv",
                             .summary = "Around the ring: to the right neighbour, from the left one.",
                             .calls = "MPI_Sendrecv",
                             .family = Family::point_to_point,
                             .min_ranks = 2,
                             .send = Size::message,
                             .receive = Size::message,
                             .result = Result::from_left,
                             .time = "one step of the ring",
                             .bandwidth = "sent plus received by one rank",
                             .pattern = "all",
                             .sync = "dissemination"};
  static constexpr std::int64_t bytes_moved(const Shape& shape) { return 2 * shape.bytes; }
  static constexpr std::int64_t messages(const Shape&) { return 2; }
  Site site;
  Buffers buffers;
  void step() noexcept {
    MPI_Sendrecv(buffers.send, site.count, site.type, site.right, 0, buffers.receive, site.count, site.type, site.left,
                 0, site.comm, MPI_STATUS_IGNORE);
  }
};

struct Exchange {
  static constexpr Info info{.name = "exchange",
                             .summary = "A message to both neighbours of the ring and one from each.",
                             .calls = "MPI_Isend, MPI_Recv, MPI_Waitall",
                             .family = Family::point_to_point,
                             .min_ranks = 2,
                             .send = Size::message,
                             .receive = Size::two,
                             .result = Result::from_neighbours,
                             .time = "one exchange with both neighbours",
                             .bandwidth = "sent plus received by one rank (four messages)",
                             .pattern = "all",
                             .sync = "dissemination"};
  static constexpr std::int64_t bytes_moved(const Shape& shape) { return 4 * shape.bytes; }
  static constexpr std::int64_t messages(const Shape&) { return 4; }
  Site site;
  Buffers buffers;
  // The tag is the direction of travel, so that two ranks, each the other's left and right, can't mix them up.
  void step() noexcept {
    constexpr int leftwards = 0;
    constexpr int rightwards = 1;
    MPI_Request requests[2];
    MPI_Isend(buffers.send, site.count, site.type, site.left, leftwards, site.comm, &requests[0]);
    MPI_Isend(buffers.send, site.count, site.type, site.right, rightwards, site.comm, &requests[1]);
    MPI_Recv(buffers.slot(site, 0), site.count, site.type, site.left, rightwards, site.comm, MPI_STATUS_IGNORE);
    MPI_Recv(buffers.slot(site, 1), site.count, site.type, site.right, leftwards, site.comm, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
};

}  // namespace groma
