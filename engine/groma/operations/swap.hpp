// Two ranks swap an array each, cut into messages of equal length: COMMTEST's eleven protocols (COMMTEST page), as
// their author published them in the swap module of a climate code.
//
// A protocol is put together from how it sends, how it receives and whether it shakes hands first; an order says who
// does what first. Both are settled by the compiler, so that a loop holds the calls of one protocol in one order.
#pragma once

#include <vector>

#include "groma/info.hpp"
#include "groma/mpi/handles.hpp"
#include "groma/operations/swap_options.hpp"
#include "groma/operations/traffic.hpp"
#include "groma/timed/entry.hpp"

namespace groma {
namespace swap {

/// The messages of one rank: number i lies at the same place in both arrays.
struct Messages : Placed {
  SwapOptions options;
  Comm signals;  ///< the same ranks; for handshakes, which can't meet the messages of `site.comm`
  int number = 1;
  int count = 0;  ///< elements in each
  std::int64_t message_bytes = 0;
  std::vector<MPI_Request> sends;
  std::vector<MPI_Request> receives;

  void open() {
    number = options.messages;
    count = site.count / number;
    message_bytes = site.message_bytes / number;
    sends.assign(static_cast<std::size_t>(number), MPI_REQUEST_NULL);
    receives.assign(static_cast<std::size_t>(number), MPI_REQUEST_NULL);
  }
  [[nodiscard]] const void* outgoing(int i) const noexcept {
    return static_cast<const std::byte*>(buffers.send) + i * message_bytes;
  }
  [[nodiscard]] void* incoming(int i) const noexcept {
    return static_cast<std::byte*>(buffers.receive) + i * message_bytes;
  }
};

// How message i is sent; when it is sent, at the latest; when all are.
template <auto Send>
struct BlockingSends {
  static constexpr bool blocks_sending = true;
  static void send(Messages& all, int i) noexcept {
    Send(all.outgoing(i), all.count, all.site.type, all.site.partner, 0, all.site.comm);
  }
  static void finish_send(Messages&, int) noexcept {}
  static void finish_sends(Messages&) noexcept {}
};
template <auto Start>
struct NonblockingSends {
  static constexpr bool blocks_sending = false;
  static void send(Messages& all, int i) noexcept {
    Start(all.outgoing(i), all.count, all.site.type, all.site.partner, 0, all.site.comm, &all.sends[i]);
  }
  static void finish_send(Messages& all, int i) noexcept { MPI_Wait(&all.sends[i], MPI_STATUS_IGNORE); }
  static void finish_sends(Messages& all) noexcept { MPI_Waitall(all.number, all.sends.data(), MPI_STATUSES_IGNORE); }
};

// How a place for message i is offered, if at all, and how the message is received.
struct BlockingReceives {
  static constexpr bool blocks_receiving = true;
  static void post(Messages&, int) noexcept {}
  static void receive(Messages& all, int i) noexcept {
    MPI_Recv(all.incoming(i), all.count, all.site.type, all.site.partner, 0, all.site.comm, MPI_STATUS_IGNORE);
  }
};
struct PostedReceives {
  static constexpr bool blocks_receiving = false;
  static void post(Messages& all, int i) noexcept {
    MPI_Irecv(all.incoming(i), all.count, all.site.type, all.site.partner, 0, all.site.comm, &all.receives[i]);
  }
  static void receive(Messages& all, int i) noexcept { MPI_Wait(&all.receives[i], MPI_STATUS_IGNORE); }
};

// What the rank that sends first waits for, and the other one does for it: nothing, or an empty message. Where both
// send first, both do both; as one call, since two standard sends may wait for each other.
struct NoSignals {
  static void open_signals(Messages&) noexcept {}
  static void await(Messages&) noexcept {}
  static void signal(Messages&) noexcept {}
  static void signal_and_await(Messages&) noexcept {}
};
struct Signals {
  static void open_signals(Messages& all) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(all.site.comm, &copy);
    all.signals = Comm(copy);
  }
  static void await(Messages& all) noexcept {
    MPI_Recv(nullptr, 0, MPI_BYTE, all.site.partner, 0, all.signals.get(), MPI_STATUS_IGNORE);
  }
  static void signal(Messages& all) noexcept { MPI_Send(nullptr, 0, MPI_BYTE, all.site.partner, 0, all.signals.get()); }
  static void signal_and_await(Messages& all) noexcept {
    MPI_Sendrecv(nullptr, 0, MPI_BYTE, all.site.partner, 0, nullptr, 0, MPI_BYTE, all.site.partner, 0,
                 all.signals.get(), MPI_STATUS_IGNORE);
  }
};

template <class Sends, class Receives, class Handshake = NoSignals>
struct Protocol : Sends, Receives, Handshake {
  /// One message where both ranks send first.
  static void exchange(Messages& all, int i) noexcept {
    Receives::post(all, i);
    Handshake::signal_and_await(all);
    Sends::send(all, i);
    Receives::receive(all, i);
    Sends::finish_send(all, i);
  }

 protected:
  static constexpr Facts facts_of(int number) {
    constexpr bool all_block = Sends::blocks_sending && Receives::blocks_receiving;
    return {.number = number, .alike = !all_block, .overlaps = !all_block};
  }
  static constexpr Info common =
      between_partners({.in_parts = true,
                        .time = "one swap: bytes each way, on every pair, until the slowest is done",
                        .bandwidth = "both directions over time, one pair",
                        .pattern = "neighbours",
                        .sync = "dissemination"});
};

struct Simple : Protocol<BlockingSends<MPI_Send>, BlockingReceives> {
  static constexpr Facts protocol = facts_of(0);
  static constexpr Info info =
      named(common, "swap/simple", "A swap by blocking sends and receives.", "MPI_Send, MPI_Recv");
};
struct NonblockingSend : Protocol<NonblockingSends<MPI_Isend>, BlockingReceives> {
  static constexpr Facts protocol = facts_of(1);
  static constexpr Info info =
      named(common, "swap/nonblocking_send", "A swap by nonblocking sends.", "MPI_Isend, MPI_Recv, MPI_Wait");
};
struct NonblockingReceive : Protocol<BlockingSends<MPI_Send>, PostedReceives> {
  static constexpr Facts protocol = facts_of(2);
  static constexpr Info info = named(common, "swap/nonblocking_receive", "A swap by receives posted before the sends.",
                                     "MPI_Irecv, MPI_Send, MPI_Wait");
};
struct Nonblocking : Protocol<NonblockingSends<MPI_Isend>, PostedReceives> {
  static constexpr Facts protocol = facts_of(3);
  static constexpr Info info =
      named(common, "swap/nonblocking", "A swap by nonblocking sends, receives posted before them.",
            "MPI_Irecv, MPI_Isend, MPI_Wait");
};
struct Ready : Protocol<BlockingSends<MPI_Rsend>, PostedReceives, Signals> {
  static constexpr Facts protocol = facts_of(4);
  static constexpr Info info =
      named(common, "swap/ready", "A swap by ready sends, each after its receive is known to be posted.",
            "MPI_Irecv, MPI_Rsend, MPI_Wait; an empty MPI_Send as a signal");
};
struct NonblockingReady : Protocol<NonblockingSends<MPI_Irsend>, PostedReceives, Signals> {
  static constexpr Facts protocol = facts_of(5);
  static constexpr Info info = named(common, "swap/nonblocking_ready", "As swap/ready, with nonblocking sends.",
                                     "MPI_Irecv, MPI_Irsend, MPI_Wait; an empty MPI_Send as a signal");
};
/// Where both ranks send first, the module uses the library's own exchange.
struct Synchronous : Protocol<BlockingSends<MPI_Send>, BlockingReceives, Signals> {
  static constexpr Facts protocol{.number = 6, .alike = true, .overlaps = false};
  static constexpr Info info =
      named(common, "swap/synchronous", "A swap in which the receiver signals that it is ready.",
            "MPI_Send, MPI_Recv; an empty MPI_Send as a signal; MPI_Sendrecv if both send first");
  static void exchange(Messages& all, int i) noexcept {
    const Site& site = all.site;
    MPI_Sendrecv(all.outgoing(i), all.count, site.type, site.partner, 0, all.incoming(i), all.count, site.type,
                 site.partner, 0, site.comm, MPI_STATUS_IGNORE);
  }
};
struct NonblockingSendSync : Protocol<NonblockingSends<MPI_Issend>, BlockingReceives> {
  static constexpr Facts protocol = facts_of(7);
  static constexpr Info info =
      named(common, "swap/nonblocking_send_sync", "A swap by nonblocking sends that wait for the receiver.",
            "MPI_Issend, MPI_Recv, MPI_Wait");
};
struct NonblockingReceiveSync : Protocol<BlockingSends<MPI_Ssend>, PostedReceives> {
  static constexpr Facts protocol = facts_of(8);
  static constexpr Info info = named(common, "swap/nonblocking_receive_sync",
                                     "A swap by sends that wait for the receiver, receives posted before them.",
                                     "MPI_Irecv, MPI_Ssend, MPI_Wait");
};
struct NonblockingSync : Protocol<NonblockingSends<MPI_Issend>, PostedReceives> {
  static constexpr Facts protocol = facts_of(9);
  static constexpr Info info =
      named(common, "swap/nonblocking_sync",
            "A swap by nonblocking sends that wait for the receiver, receives posted before them.",
            "MPI_Irecv, MPI_Issend, MPI_Wait");
};
struct SimpleSync : Protocol<BlockingSends<MPI_Ssend>, BlockingReceives> {
  static constexpr Facts protocol = facts_of(10);
  static constexpr Info info =
      named(common, "swap/simple_sync", "As swap/simple, by sends that wait for the receiver.", "MPI_Ssend, MPI_Recv");
};

/// One message after the other; in each, the lower rank sends first.
template <class By>
struct Ordered {
  static void step(Messages& all) noexcept {
    if (all.site.first) {
      for (int i = 0; i < all.number; ++i) {
        By::post(all, i);
        By::await(all);
        By::send(all, i);
        By::receive(all, i);
        By::finish_send(all, i);
      }
    } else {
      for (int i = 0; i < all.number; ++i) {
        By::post(all, i);
        By::signal(all);
        By::receive(all, i);
        By::send(all, i);
        By::finish_send(all, i);
      }
    }
  }
};

/// One message after the other; in each, both ranks send first.
template <class By>
struct Alike {
  static void step(Messages& all) noexcept {
    for (int i = 0; i < all.number; ++i) By::exchange(all, i);
  }
};

// With overlap, all receives are posted before one signal says so, and sends are completed last of all.

/// The lower rank starts all its sends, then completes its receives; the upper one answers each message that it has.
template <class By>
struct OrderedOverlap {
  static void step(Messages& all) noexcept {
    for (int i = 0; i < all.number; ++i) By::post(all, i);
    if (all.site.first) {
      By::await(all);
      for (int i = 0; i < all.number; ++i) By::send(all, i);
      for (int i = 0; i < all.number; ++i) By::receive(all, i);
    } else {
      By::signal(all);
      for (int i = 0; i < all.number; ++i) {
        By::receive(all, i);
        By::send(all, i);
      }
    }
    By::finish_sends(all);
  }
};

/// Both ranks send message i and complete receive i before they go on to the next.
template <class By>
struct AlikeOverlap {
  static void step(Messages& all) noexcept {
    for (int i = 0; i < all.number; ++i) By::post(all, i);
    By::signal_and_await(all);
    for (int i = 0; i < all.number; ++i) {
      By::send(all, i);
      By::receive(all, i);
    }
    By::finish_sends(all);
  }
};

/// Both ranks start all their sends before they complete a receive.
template <class By>
struct DelayedOverlap {
  static void step(Messages& all) noexcept {
    for (int i = 0; i < all.number; ++i) By::post(all, i);
    By::signal_and_await(all);
    for (int i = 0; i < all.number; ++i) By::send(all, i);
    for (int i = 0; i < all.number; ++i) By::receive(all, i);
    By::finish_sends(all);
  }
};

template <class By, template <class> class Steps>
struct InOrder : Messages {
  using Options = SwapOptions;
  static constexpr Info info = By::info;
  static constexpr std::int64_t bytes_moved(const Shape& shape) { return 2 * shape.bytes; }
  static constexpr std::int64_t messages(const Shape&, const Options& options) {
    return std::int64_t{2} * options.messages;
  }
  static FamilyFacts facts() {
    constexpr Facts own = By::protocol;
    return {"swap", {{"number", std::int64_t{own.number}}, {"alike", own.alike}, {"overlaps", own.overlaps}}};
  }
  static void check(const Request& request, const Options& options) { check_swap(request, options, By::protocol); }

  void open() {
    Messages::open();
    By::open_signals(*this);
  }
  void step() noexcept { Steps<By>::step(*this); }
};

}  // namespace swap

/// A swap by one of the protocols above: ordered, and in the other forms that the protocol allows.
template <class By>
struct Swap : swap::InOrder<By, swap::Ordered> {
  static std::vector<Entry> forms();
};

using StandardSwaps = OperationList<Swap<swap::Simple>, Swap<swap::NonblockingSend>, Swap<swap::NonblockingReceive>,
                                    Swap<swap::Nonblocking>, Swap<swap::Synchronous>>;
using ReadySwaps = OperationList<Swap<swap::Ready>, Swap<swap::NonblockingReady>>;
using SynchronousSwaps = OperationList<Swap<swap::NonblockingSendSync>, Swap<swap::NonblockingReceiveSync>,
                                       Swap<swap::NonblockingSync>, Swap<swap::SimpleSync>>;

/// All of them, by COMMTEST's numbers.
using Swaps = OperationList<             //
    Swap<swap::Simple>,                  //
    Swap<swap::NonblockingSend>,         //
    Swap<swap::NonblockingReceive>,      //
    Swap<swap::Nonblocking>,             //
    Swap<swap::Ready>,                   //
    Swap<swap::NonblockingReady>,        //
    Swap<swap::Synchronous>,             //
    Swap<swap::NonblockingSendSync>,     //
    Swap<swap::NonblockingReceiveSync>,  //
    Swap<swap::NonblockingSync>,         //
    Swap<swap::SimpleSync>>;

}  // namespace groma
