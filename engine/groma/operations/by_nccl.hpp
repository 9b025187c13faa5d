// Collectives and messages of NCCL, and of RCCL on HIP devices, beside which those of MPI are set. A call is put on a
// stream of the device; it is timed together with the wait until that stream is idle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "groma/device/nccl.hpp"
#include "groma/operations/exchanges.hpp"
#include "groma/operations/pingpong.hpp"
#include "groma/operations/reductions.hpp"
#include "groma/operations/rooted.hpp"
#include "groma/operations/streaming.hpp"
#include "groma/timed/entry.hpp"

namespace groma {

using namespace std::string_literals;

/// What MPI's operation says of itself, for the same messages by calls of NCCL.
constexpr Info by_nccl(Info own, std::string_view name, std::string_view summary, std::string_view calls) {
  own = named(own, name, summary, calls);
  own.memory = "cuda";
  own.in_parts = true;
  own.large = true;
  own.touches = false;
  if (own.sharing != Sharing::single) own.sharing = Sharing::refused;
  if (own.family == Family::collective) own.time = "one call, until its stream is idle";
  return own;
}

/// What these operations have in common; `Traffic` says what a repetition moves.
template <class Traffic>
struct ByNccl : Traffic {
  NcclRanks* ranks = nullptr;
  int type = 0;
  int reduction = 0;

  void open() {
    if constexpr (requires { Traffic::open(); }) Traffic::open();
    ranks = &NcclRanks::of(this->site.comm);
    type = nccl_type(this->site.type);
    reduction = nccl_reduction(this->site.reduction);
  }
  static constexpr std::string_view trouble_reason = nccl_family;
  [[nodiscard]] std::string trouble() const { return NcclRanks::trouble_of(this->site.comm); }
  static FamilyFacts facts() { return {nccl_family, {{"cuda", "libnccl.so.2"s}, {"hip", "librccl.so.1"s}}}; }
  [[nodiscard]] std::size_t count() const noexcept { return static_cast<std::size_t>(this->site.counted.number); }
  [[nodiscard]] std::size_t bytes() const noexcept { return static_cast<std::size_t>(this->site.message_bytes); }
};

struct NcclAllreduce : ByNccl<Placed> {
  static constexpr Info info = by_nccl(Allreduce::info, "nccl/allreduce", "As allreduce, by NCCL.", "ncclAllReduce");
  void step() noexcept {
    ranks->all_reduce(buffers.send, buffers.receive, count(), type, reduction);
    ranks->wait();
  }
};

struct NcclBcast : ByNccl<Placed> {
  static constexpr Info info = by_nccl(Bcast::info, "nccl/bcast", "As bcast, by NCCL.", "ncclBroadcast");
  void step() noexcept {
    ranks->broadcast(buffers.receive, bytes(), site.root);
    ranks->wait();
  }
};

struct NcclReduce : ByNccl<Placed> {
  static constexpr Info info = by_nccl(Reduce::info, "nccl/reduce", "As reduce, by NCCL.", "ncclReduce");
  void step() noexcept {
    ranks->reduce(buffers.send, buffers.receive, count(), type, reduction, site.root);
    ranks->wait();
  }
};

struct NcclAllgather : ByNccl<BlocksOfOthers> {
  static constexpr Info info = by_nccl(Allgather::info, "nccl/allgather", "As allgather, by NCCL.", "ncclAllGather");
  void step() noexcept {
    ranks->all_gather(buffers.send, buffers.receive, bytes());
    ranks->wait();
  }
};

struct NcclReduceScatter : ByNccl<WholeArray> {
  static constexpr Info info = by_nccl(ReduceScatterBlock::info, "nccl/reduce_scatter",
                                       "As reduce_scatter_block, by NCCL.", "ncclReduceScatter");
  void step() noexcept {
    ranks->reduce_scatter(buffers.send, buffers.receive, count(), type, reduction);
    ranks->wait();
  }
};

/// Collectives of messages, which are sent and received all at once.
struct OfNcclMessages : ByNccl<BlocksOfOthers> {
  static constexpr std::string_view calls = "ncclGroupStart, ncclSend, ncclRecv, ncclGroupEnd";
};

struct NcclAlltoall : OfNcclMessages {
  static constexpr Info info =
      by_nccl(Alltoall::info, "nccl/alltoall", "As alltoall, by messages of NCCL in one group.", calls);
  void step() noexcept {
    ranks->begin_group();
    for (int rank = 0; rank < site.ranks; ++rank) {
      ranks->send(buffers.outgoing(site, rank), bytes(), rank);
      ranks->receive(buffers.slot(site, rank), bytes(), rank);
    }
    ranks->end_group();
    ranks->wait();
  }
};

struct NcclGather : OfNcclMessages {
  static constexpr Info info =
      by_nccl(Gather::info, "nccl/gather", "As gather, by messages of NCCL in one group.", calls);
  void step() noexcept {
    ranks->begin_group();
    ranks->send(buffers.send, bytes(), site.root);
    for (int rank = 0; site.rank == site.root && rank < site.ranks; ++rank) {
      ranks->receive(buffers.slot(site, rank), bytes(), rank);
    }
    ranks->end_group();
    ranks->wait();
  }
};

struct NcclScatter : OfNcclMessages {
  static constexpr Info info =
      by_nccl(Scatter::info, "nccl/scatter", "As scatter, by messages of NCCL in one group.", calls);
  void step() noexcept {
    ranks->begin_group();
    for (int rank = 0; site.rank == site.root && rank < site.ranks; ++rank) {
      ranks->send(buffers.outgoing(site, rank), bytes(), rank);
    }
    ranks->receive(buffers.receive, bytes(), site.root);
    ranks->end_group();
    ranks->wait();
  }
};

/// Both messages are on the stream, one after the other, before it is waited for.
struct NcclPingPong : ByNccl<MessagesCounted<2>> {
  static constexpr Info info = [] {
    Info own = by_nccl(PingPong::info, "nccl/pingpong", "As pingpong, by NCCL.", "ncclSend, ncclRecv");
    own.time = "one way: half the round trip, until its stream is idle";
    return own;
  }();
  void step() noexcept {
    if (site.first) {
      ranks->send(buffers.send, bytes(), site.partner);
      ranks->receive(buffers.receive, bytes(), site.partner);
    } else {
      ranks->receive(buffers.receive, bytes(), site.partner);
      ranks->send(buffers.send, bytes(), site.partner);
    }
    ranks->wait();
  }
};

struct NcclStream : ByNccl<Streaming> {
  static constexpr Info info = [] {
    Info own = by_nccl(Stream::info, "nccl/stream",
                       "A window of messages in one group of NCCL, answered by one acknowledgement of MPI.",
                       "ncclGroupStart, ncclSend, ncclRecv, ncclGroupEnd; an empty MPI_Send");
    own.time = "one window, until its stream is idle, and its acknowledgement";
    return own;
  }();
  static constexpr std::int64_t bytes_moved(const Shape& shape, const Options& own) {
    return Stream::bytes_moved(shape, own);
  }
  static constexpr std::int64_t messages(const Shape& shape, const Options& own) {
    return Stream::messages(shape, own);
  }
  void step() noexcept {
    constexpr int acknowledgement = 1;
    ranks->begin_group();
    for (int i = 0; i < options.window; ++i) {
      if (site.first) {
        ranks->send(buffers.send, bytes(), site.partner);
      } else {
        ranks->receive(arrival(i), bytes(), site.partner);
      }
    }
    ranks->end_group();
    ranks->wait();
    if (site.first) {
      MPI_Recv(nullptr, 0, MPI_BYTE, site.partner, acknowledgement, site.comm, MPI_STATUS_IGNORE);
    } else {
      MPI_Send(nullptr, 0, MPI_BYTE, site.partner, acknowledgement, site.comm);
    }
  }
};

struct NcclBiStream : ByNccl<Streaming> {
  static constexpr Info info = [] {
    Info own = by_nccl(BiStream::info, "nccl/bistream",
                       "A window of messages in both directions, all in one group of NCCL.", OfNcclMessages::calls);
    own.time = "one window each way, until its stream is idle";
    return own;
  }();
  static constexpr std::int64_t bytes_moved(const Shape& shape, const Options& own) {
    return BiStream::bytes_moved(shape, own);
  }
  static constexpr std::int64_t messages(const Shape& shape, const Options& own) {
    return BiStream::messages(shape, own);
  }
  void step() noexcept {
    ranks->begin_group();
    for (int i = 0; i < options.window; ++i) {
      ranks->send(buffers.send, bytes(), site.partner);
      ranks->receive(arrival(i), bytes(), site.partner);
    }
    ranks->end_group();
    ranks->wait();
  }
};

using NcclOperations = OperationList<NcclPingPong, NcclStream, NcclBiStream, NcclBcast, NcclReduce, NcclAllreduce,
                                     NcclReduceScatter, NcclAllgather, NcclGather, NcclScatter, NcclAlltoall>;

}  // namespace groma
