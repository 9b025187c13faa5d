// A message to the partner and one back, in the ways that MPI can send and receive it.
#pragma once

#include <cstddef>
#include <string_view>
#include <tuple>

#include "groma/mpi/attached_buffer.hpp"
#include "groma/operations/calls.hpp"
#include "groma/operations/placed_requests.hpp"
#include "groma/operations/traffic.hpp"

namespace groma {

// How one message is sent, and how it is received: a form is a policy, never a copied operation.
template <auto Send>
struct SendBy {
  static void send(const Site& site, const void* data) noexcept {
    Send(data, site.count, site.type, site.partner, 0, site.comm);
  }
};
using BlockingSend = SendBy<MPI_Send>;
template <auto Start>
struct StartedSend {
  static void send(const Site& site, const void* data) noexcept {
    MPI_Request request;
    Start(data, site.count, site.type, site.partner, 0, site.comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
};
struct BlockingReceive {
  static void receive(const Site& site, void* data) noexcept {
    MPI_Recv(data, site.count, site.type, site.partner, 0, site.comm, MPI_STATUS_IGNORE);
  }
};
struct NonblockingReceive {
  static void receive(const Site& site, void* data) noexcept {
    MPI_Request request;
    MPI_Irecv(data, site.count, site.type, site.partner, 0, site.comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
};
struct AnySourceReceive {
  static void receive(const Site& site, void* data) noexcept {
    MPI_Recv(data, site.count, site.type, MPI_ANY_SOURCE, MPI_ANY_TAG, site.comm, MPI_STATUS_IGNORE);
  }
};

/// The message is found first, and received by its handle: what programs with threads have to do.
struct MatchedReceive {
  static void receive(const Site& site, void* data) noexcept {
    MPI_Message message;
    MPI_Mprobe(site.partner, 0, site.comm, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(data, site.count, site.type, &message, MPI_STATUS_IGNORE);
  }
};
/// Asked for until it is there.
struct PolledReceive {
  static void receive(const Site& site, void* data) noexcept {
    for (int there = 0; there == 0;) MPI_Iprobe(site.partner, 0, site.comm, &there, MPI_STATUS_IGNORE);
    BlockingReceive::receive(site, data);
  }
};
/// Asked for until it is there, and received by its handle.
struct PolledMatchedReceive {
  static void receive(const Site& site, void* data) noexcept {
    MPI_Message message;
    MPI_Request request;
    for (int there = 0; there == 0;) MPI_Improbe(site.partner, 0, site.comm, &there, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(data, site.count, site.type, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
};

template <class Send, class Receive>
struct PingPongBy : MessagesCounted<2> {
  static constexpr Info common = between_partners({.timers = Timers::first,
                                                   .sharing = Sharing::one_array,
                                                   .touches = true,
                                                   .divisor = 2,
                                                   .time = "one way: half the round trip",
                                                   .bandwidth = "message size over one-way time, one direction at a "
                                                                "time"});
  void send() noexcept { Send::send(site, buffers.send); }
  void receive() noexcept { Receive::receive(site, buffers.receive); }
  void step() noexcept {
    if (site.first) {
      send();
      receive();
    } else {
      receive();
      send();
    }
  }
};

struct PingPong : PingPongBy<BlockingSend, BlockingReceive> {
  static constexpr Info info =
      named(common, "pingpong", "A message to the partner and one of the same size back.", "MPI_Send, MPI_Recv");
};
struct PingPongSynchronous : PingPongBy<SendBy<MPI_Ssend>, BlockingReceive> {
  static constexpr Info info =
      named(common, "pingpong_synchronous", "As pingpong, with sends that wait for the receiver: no eager protocol.",
            "MPI_Ssend, MPI_Recv");
};
struct PingPongIsend : PingPongBy<StartedSend<MPI_Isend>, BlockingReceive> {
  static constexpr Info info =
      named(common, "pingpong_isend", "As pingpong, with nonblocking sends and an immediate wait.",
            "MPI_Isend, MPI_Wait, MPI_Recv");
};
struct PingPongIrecv : PingPongBy<BlockingSend, NonblockingReceive> {
  static constexpr Info info =
      named(common, "pingpong_irecv", "As pingpong, with nonblocking receives and an immediate wait.",
            "MPI_Send, MPI_Irecv, MPI_Wait");
};
struct PingPongAnySource : PingPongBy<BlockingSend, AnySourceReceive> {
  static constexpr Info info =
      named(common, "pingpong_any_source", "As pingpong, with receives from any source and tag.",
            "MPI_Send, MPI_Recv with MPI_ANY_SOURCE");
};

struct PingPongIssend : PingPongBy<StartedSend<MPI_Issend>, BlockingReceive> {
  static constexpr Info info =
      named(common, "pingpong_issend", "As pingpong_synchronous, nonblocking, with an immediate wait.",
            "MPI_Issend, MPI_Wait, MPI_Recv");
};
struct PingPongMprobe : PingPongBy<BlockingSend, MatchedReceive> {
  static constexpr Info info =
      named(common, "pingpong_mprobe", "As pingpong, each message found first and received by its handle.",
            "MPI_Send, MPI_Mprobe, MPI_Mrecv");
};
struct PingPongIprobe : PingPongBy<BlockingSend, PolledReceive> {
  static constexpr Info info =
      named(common, "pingpong_iprobe", "As pingpong, with receives only after MPI_Iprobe has seen the message.",
            "MPI_Send, MPI_Iprobe, MPI_Recv");
};
struct PingPongImprobe : PingPongBy<BlockingSend, PolledMatchedReceive> {
  static constexpr Info info = named(common, "pingpong_improbe",
                                     "As pingpong_mprobe, nonblocking: asked for until it is there, then waited for.",
                                     "MPI_Send, MPI_Improbe, MPI_Imrecv, MPI_Wait");
};

/// The calls whose counts go beyond int.
struct LargeCalls {
  using Sending = Calls<MPI_Send, nullptr, nullptr, MPI_Send_c>;
  using Receiving = Calls<MPI_Recv, nullptr, nullptr, MPI_Recv_c>;
  static void send(const Site& site, const void* data) noexcept {
    Sending::now_large(std::tuple(data, site.counted, site.type, site.partner, 0, site.comm));
  }
  static void receive(const Site& site, void* data) noexcept {
    Receiving::now_large(std::tuple(data, site.counted, site.type, site.partner, 0, site.comm, MPI_STATUS_IGNORE));
  }
};
struct PingPongLarge : PingPongBy<LargeCalls, LargeCalls> {
  static constexpr std::string_view lacks = LargeCalls::Sending::counts_far ? "" : "MPI_Send_c (MPI 4.0)";
  static constexpr Info info = [] {
    Info own =
        named(common, "pingpong_c", "As pingpong, by the calls whose counts go beyond int.", "MPI_Send_c, MPI_Recv_c");
    own.form_of = "pingpong";
    own.large = true;
    return own;
  }();
};

/// Sends through the buffer that is attached to MPI.
template <class Send>
struct PingPongBuffered : PingPongBy<Send, BlockingReceive> {
  static void check(const Request& request) { AttachedBuffer::check(request); }
  void open() { AttachedBuffer::require(this->site); }
};
struct PingPongBsend : PingPongBuffered<SendBy<MPI_Bsend>> {
  static constexpr Info info =
      named(common, "pingpong_buffered", "As pingpong, with sends that copy the message to the attached buffer.",
            "MPI_Bsend, MPI_Recv");
};
struct PingPongIbsend : PingPongBuffered<StartedSend<MPI_Ibsend>> {
  static constexpr Info info =
      named(common, "pingpong_ibsend", "As pingpong_buffered, nonblocking, with an immediate wait.",
            "MPI_Ibsend, MPI_Wait, MPI_Recv");
};

/// The requests of both messages are made once, and started one after the other.
template <auto MakeSend>
struct PingPongPersistentBy : MessagesCounted<2> {
  static constexpr Info common = PingPong::common;
  PlacedRequests kept;
  MPI_Request* sent = nullptr;

  void bind() {
    sent = kept.at(buffers, [this] { return made(); });
  }
  void close() { kept.free(); }
  PlacedRequests::Requests made() {
    PlacedRequests::Requests both(2);
    MakeSend(buffers.send, site.count, site.type, site.partner, 0, site.comm, &both[0]);
    MPI_Recv_init(buffers.receive, site.count, site.type, site.partner, 0, site.comm, &both[1]);
    return both;
  }
  static void run(MPI_Request* request) noexcept {
    MPI_Start(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
  }
  void send() noexcept { run(sent); }
  void receive() noexcept { run(sent + 1); }
  void step() noexcept {
    const std::ptrdiff_t first = site.first ? 0 : 1;
    run(sent + first);
    run(sent + (1 - first));
  }
};
struct PingPongPersistent : PingPongPersistentBy<MPI_Send_init> {
  static constexpr Info info =
      named(common, "pingpong_persistent", "As pingpong, with requests that are made once and started every time.",
            "MPI_Send_init, MPI_Recv_init, MPI_Start, MPI_Wait");
};
struct PingPongSsendInit : PingPongPersistentBy<MPI_Ssend_init> {
  static constexpr Info info =
      named(common, "pingpong_synchronous_persistent", "As pingpong_persistent, with synchronous sends.",
            "MPI_Ssend_init, MPI_Recv_init, MPI_Start, MPI_Wait");
};
/// Both messages go through the buffer that is attached to MPI.
struct PingPongBsendInit : PingPongPersistentBy<MPI_Bsend_init> {
  static constexpr Info info =
      named(common, "pingpong_buffered_persistent", "As pingpong_persistent, with buffered sends.",
            "MPI_Bsend_init, MPI_Recv_init, MPI_Start, MPI_Wait");
  static void check(const Request& request) { AttachedBuffer::check(request); }
  void open() { AttachedBuffer::require(site); }
};
/// A ready send needs a posted receive. That of the first rank is posted before it sends; that of the second is told.
struct PingPongRsendInit : PingPongPersistentBy<MPI_Rsend_init> {
  static constexpr Info info = [] {
    Info own = named(common, "pingpong_ready_persistent",
                     "As pingpong_persistent, with ready sends; an empty message tells that a receive is posted.",
                     "MPI_Rsend_init, MPI_Recv_init, MPI_Start, MPI_Wait; an empty MPI_Send as a signal");
    own.time = "half the round trip of the message and of the empty one before it";
    own.touches = false;
    return own;
  }();
  static constexpr int signal = 1;  ///< the tag
  void step() noexcept {
    MPI_Start(sent + 1);
    if (site.first) {
      MPI_Recv(nullptr, 0, MPI_BYTE, site.partner, signal, site.comm, MPI_STATUS_IGNORE);
      run(sent);
      MPI_Wait(sent + 1, MPI_STATUS_IGNORE);
    } else {
      MPI_Send(nullptr, 0, MPI_BYTE, site.partner, signal, site.comm);
      MPI_Wait(sent + 1, MPI_STATUS_IGNORE);
      run(sent);
    }
  }
};

using PingPongs =
    OperationList<PingPong, PingPongSynchronous, PingPongIsend, PingPongIrecv, PingPongAnySource, PingPongIssend,
                  PingPongLarge, PingPongBsend, PingPongIbsend, PingPongMprobe, PingPongImprobe, PingPongIprobe,
                  PingPongPersistent, PingPongSsendInit, PingPongBsendInit, PingPongRsendInit>;

}  // namespace groma
