// Exchanges between two ranks, or around a ring.
#pragma once

#include <array>
#include <cstddef>

#include "groma/clock/clocks.hpp"
#include "groma/operations/calls.hpp"
#include "groma/operations/pingpong.hpp"
#include "groma/operations/traffic.hpp"

namespace groma {

/// The receiver comes 100 us late: a send that is over much sooner was eager.
struct DelayedReceiver : MessagesCounted<1> {
  static constexpr Info info =
      between_partners({.name = "delayed_receiver",
                        .summary = "One send to a receiver that comes 100 us late: eager sends do not wait for it.",
                        .calls = "MPI_Send, MPI_Recv",
                        .holders = Holders::second,
                        .timers = Timers::first,
                        .time = "one send, as the sender sees it",
                        .bandwidth = "message size over that time",
                        .timing = "call",
                        .sync = "dissemination"});
  void step() noexcept {
    if (site.first) {
      BlockingSend::send(site, buffers.send);
      return;
    }
    constexpr std::int64_t delay_ns = 100'000;
    for (const std::int64_t begin = Monotonic::now(); Monotonic::now() - begin < delay_ns;) {
    }
    BlockingReceive::receive(site, buffers.receive);
  }
};

struct PingPing : MessagesCounted<1> {
  static constexpr Info info = between_partners({.name = "pingping",
                                                 .summary = "Both partners send at once, then receive.",
                                                 .calls = "MPI_Isend, MPI_Recv, MPI_Wait",
                                                 .touches = true,
                                                 .time = "one exchange",
                                                 .bandwidth = "message size over time: one of the two directions"});
  void step() noexcept {
    MPI_Request request;
    MPI_Isend(buffers.send, site.count, site.type, site.partner, 0, site.comm, &request);
    MPI_Recv(buffers.receive, site.count, site.type, site.partner, 0, site.comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
};

struct PingPingAnySource : MessagesCounted<1> {
  static constexpr Info info =
      named(PingPing::info, "pingping_any_source", "As pingping, with receives from any source and tag.",
            "MPI_Isend, MPI_Recv with MPI_ANY_SOURCE, MPI_Wait");
  void step() noexcept {
    MPI_Request request;
    MPI_Isend(buffers.send, site.count, site.type, site.partner, 0, site.comm, &request);
    AnySourceReceive::receive(site, buffers.receive);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
};

/// LBW's asynchronous style. Both messages are under way at once; LBW still counts half the time as one way.
struct PingPingPosted : MessagesCounted<2> {
  static constexpr Info info =
      between_partners({.name = "pingping_posted",
                        .summary = "Both partners post a receive, send at once, then wait (LBW).",
                        .calls = "MPI_Irecv, MPI_Send, MPI_Wait",
                        .timers = Timers::first,
                        .touches = true,
                        .divisor = 2,
                        .time = "half an exchange",
                        .bandwidth = "message size over that time"});
  void step() noexcept {
    MPI_Request request;
    MPI_Irecv(buffers.receive, site.count, site.type, site.partner, 0, site.comm, &request);
    MPI_Send(buffers.send, site.count, site.type, site.partner, 0, site.comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
};

struct StartedOneByOne {
  static void start(MPI_Request* both) noexcept {
    MPI_Start(both);
    MPI_Start(both + 1);
  }
};
struct StartedTogether {
  static void start(MPI_Request* both) noexcept { MPI_Startall(2, both); }
};

/// The requests of both messages are made once, and are under way at once.
template <class Start>
struct PingPingPersistentBy : MessagesCounted<1> {
  PlacedRequests kept;
  MPI_Request* both = nullptr;

  void bind() {
    both = kept.at(buffers, [this] { return made(); });
  }
  void close() { kept.free(); }
  PlacedRequests::Requests made() {
    PlacedRequests::Requests all(2);
    MPI_Recv_init(buffers.receive, site.count, site.type, site.partner, 0, site.comm, &all[0]);
    MPI_Send_init(buffers.send, site.count, site.type, site.partner, 0, site.comm, &all[1]);
    return all;
  }
  void step() noexcept {
    Start::start(both);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  }
};
struct PingPingPersistent : PingPingPersistentBy<StartedOneByOne> {
  static constexpr Info info =
      named(PingPing::info, "pingping_persistent",
            "As pingping, with requests that are made once; each is started by a call of its own.",
            "MPI_Recv_init, MPI_Send_init, MPI_Start, MPI_Waitall");
};
struct PingPingStartall : PingPingPersistentBy<StartedTogether> {
  static constexpr Info info =
      named(PingPing::info, "pingping_startall", "As pingping_persistent, with both requests started by one call.",
            "MPI_Recv_init, MPI_Send_init, MPI_Startall, MPI_Waitall");
};

/// A step of a ring of all ranks.
constexpr Info around_the_ring(Info own) {
  own.family = Family::point_to_point;
  own.min_ranks = 2;
  own.send = Size::message;
  own.pattern = "all";
  own.sync = "dissemination";
  own.touches = true;
  return own;
}

struct SendRecv : MessagesCounted<2> {
  static constexpr Info info =
      around_the_ring({.name = "sendrecv",
                       .summary = "Around the ring: to the right neighbour, from the left one.",
                       .calls = "MPI_Sendrecv",
                       .receive = Size::message,
                       .result = Result::from_left,
                       .time = "one step of the ring",
                       .bandwidth = "sent plus received by one rank"});
  void step() noexcept {
    MPI_Sendrecv(buffers.send, site.count, site.type, site.right, 0, buffers.receive, site.count, site.type, site.left,
                 0, site.comm, MPI_STATUS_IGNORE);
  }
};

struct ISendRecv : MessagesCounted<2> {
  static constexpr Info info = [] {
    Info own = named(SendRecv::info, "isendrecv", "As sendrecv, nonblocking: started, then waited for.",
                     "MPI_Isendrecv, MPI_Wait");
    own.form_of = SendRecv::info.name;
    return own;
  }();
  using Call = Calls<MPI_Sendrecv, MPI_Isendrecv>;
  static constexpr std::string_view lacks =
      Call::nonblocking && mpi_4_is_usable ? "" : "a usable MPI_Isendrecv (MPI 4.0)";
  void step() noexcept {
    MPI_Request request = MPI_REQUEST_NULL;
    Call::start(std::tuple(static_cast<const void*>(buffers.send), site.count, site.type, site.right, 0,
                           buffers.receive, site.count, site.type, site.left, 0, site.comm),
                &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
};

/// One array: the message that arrives replaces the one that was sent.
struct SendRecvReplace : MessagesCounted<2> {
  static constexpr Info info = [] {
    Info own =
        named(SendRecv::info, "sendrecv_replace",
              "As sendrecv, with one array: the message that arrives replaces the one sent.", "MPI_Sendrecv_replace");
    own.sharing = Sharing::replaced;
    own.touches = false;
    return own;
  }();
  void step() noexcept {
    MPI_Sendrecv_replace(buffers.receive, site.count, site.type, site.right, 0, site.left, 0, site.comm,
                         MPI_STATUS_IGNORE);
  }
};
struct ISendRecvReplace : MessagesCounted<2> {
  static constexpr Info info = [] {
    Info own = named(SendRecvReplace::info, "isendrecv_replace",
                     "As sendrecv_replace, nonblocking: started, then waited for.", "MPI_Isendrecv_replace, MPI_Wait");
    own.form_of = SendRecvReplace::info.name;
    return own;
  }();
  using Call = Calls<MPI_Sendrecv_replace, MPI_Isendrecv_replace>;
  static constexpr std::string_view lacks =
      Call::nonblocking && mpi_4_is_usable ? "" : "a usable MPI_Isendrecv_replace (MPI 4.0)";
  void step() noexcept {
    MPI_Request request = MPI_REQUEST_NULL;
    Call::start(std::tuple(buffers.receive, site.count, site.type, site.right, 0, site.left, 0, site.comm), &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
};

struct SendRecvPairwise : MessagesCounted<2> {
  static constexpr Info info = between_partners({.name = "sendrecv_pairwise",
                                                 .summary = "Both partners send and receive in one call (MPIBench).",
                                                 .calls = "MPI_Sendrecv",
                                                 .touches = true,
                                                 .time = "one exchange",
                                                 .bandwidth = "sent plus received by one rank"});
  void step() noexcept {
    MPI_Sendrecv(buffers.send, site.count, site.type, site.partner, 0, buffers.receive, site.count, site.type,
                 site.partner, 0, site.comm, MPI_STATUS_IGNORE);
  }
};

enum class ExchangePlaces { received, sent };

inline constexpr Choice exchange_places[] = {
    {"received", "one message is sent to both neighbours, and each of theirs is received in a place of its own"},
    {"sent",
     "each neighbour is sent the message of a place of its own, the right one first, and both of theirs are received "
     "in one place, as IMB's Exchange does"}};

struct ExchangeOptions {
  ExchangePlaces exchange_places = ExchangePlaces::received;

  static constexpr auto table() {
    return std::array{option<&ExchangeOptions::exchange_places>(
        parameter::choice("exchange_places", "received", groma::exchange_places,
                          "which messages of an exchange have places of their own"))};
  }
  [[nodiscard]] constexpr bool two_sent() const { return exchange_places == ExchangePlaces::sent; }
};

struct Exchange : MessagesCounted<4> {
  using Options = ExchangeOptions;
  static constexpr Info info = [] {
    Info own = around_the_ring({.name = "exchange",
                                .summary = "A message to both neighbours of the ring and one from each.",
                                .calls = "MPI_Isend, MPI_Recv, MPI_Waitall",
                                .receive = Size::stated,
                                .result = Result::stated,
                                .time = "one exchange with both neighbours",
                                .bandwidth = "sent plus received by one rank (four messages)",
                                .validation = "every element received is the one that the left or right neighbour "
                                              "sent; the right one's if both are received in one place"});
    own.send = Size::stated;
    return own;
  }();
  static constexpr Memory memory(const Shape& shape, const Options& options) {
    const std::int64_t both = 2 * shape.bytes;
    return options.two_sent() ? Memory{.send_bytes = both, .receive_bytes = shape.bytes}
                              : Memory{.send_bytes = shape.bytes, .receive_bytes = both};
  }
  static Contents contents(const Site& site, const Options& options) {
    if (options.two_sent()) {
      return {.sent = {{0, site.elements, site.rank, rightwards},
                       {site.message_bytes, site.elements, site.rank, leftwards}},
              .received = {{0, site.elements, site.right, leftwards}}};
    }
    return {.sent = {{0, site.elements, site.rank, 0}},
            .received = {{0, site.elements, site.left, 0}, {site.message_bytes, site.elements, site.right, 0}}};
  }

  // The tag is the direction of travel, so that two ranks, each the other's left and right, can't mix them up.
  static constexpr int leftwards = 0;
  static constexpr int rightwards = 1;
  Options options;
  struct Way {
    int to, tag;
  };
  Way first{}, second{};
  std::int64_t sent_stride = 0, received_stride = 0;  ///< bytes from the first message to the second

  void open() {
    const Way left{site.left, leftwards};
    const Way right{site.right, rightwards};
    first = options.two_sent() ? right : left;
    second = options.two_sent() ? left : right;
    (options.two_sent() ? sent_stride : received_stride) = site.message_bytes;
  }
  void step() noexcept {
    const auto* sent = static_cast<const std::byte*>(buffers.send);
    auto* received = static_cast<std::byte*>(buffers.receive);
    MPI_Request requests[2];
    MPI_Isend(sent, site.count, site.type, first.to, first.tag, site.comm, &requests[0]);
    MPI_Isend(sent + sent_stride, site.count, site.type, second.to, second.tag, site.comm, &requests[1]);
    MPI_Recv(received, site.count, site.type, site.left, rightwards, site.comm, MPI_STATUS_IGNORE);
    MPI_Recv(received + received_stride, site.count, site.type, site.right, leftwards, site.comm, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
};

using PointToPoint =
    OperationList<PingPongs, DelayedReceiver, PingPing, PingPingAnySource, PingPingPosted, PingPingPersistent,
                  PingPingStartall, SendRecv, ISendRecv, SendRecvReplace, ISendRecvReplace, SendRecvPairwise, Exchange>;

}  // namespace groma
