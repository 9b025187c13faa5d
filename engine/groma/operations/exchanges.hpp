// Collectives in which every rank has the same part. `bytes` is the block between one pair of ranks.
#pragma once

#include <array>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "groma/errors.hpp"
#include "groma/operations/blocks.hpp"
#include "groma/operations/forms.hpp"
#include "groma/operations/traffic.hpp"

namespace groma {

struct Barrier : Placed {
  static constexpr Info info{
      .name = "barrier", .summary = "No rank leaves before every rank has entered.", .calls = "MPI_Barrier"};
  using Call = Calls<MPI_Barrier, MPI_Ibarrier, MPI_Barrier_init>;
  auto arguments() const noexcept { return std::tuple(site.comm); }
};

struct Allgather : BlocksOfOthers {
  static constexpr Info info{.name = "allgather",
                             .summary = "Every rank collects one message from every rank.",
                             .calls = "MPI_Allgather",
                             .send = Size::message,
                             .receive = Size::per_rank,
                             .result = Result::from_all,
                             .sharing = Sharing::in_place,
                             .bandwidth = "received by one rank from the others",
                             .bus = Bus::others};
  using Call = Calls<MPI_Allgather, MPI_Iallgather, MPI_Allgather_init, MPI_Allgather_c>;
  auto arguments() const noexcept {
    return std::tuple(buffers.send, site.counted, site.type, buffers.receive, site.counted, site.type, site.comm);
  }
};

struct Allgatherv : WithLengths {
  static constexpr Info info = named(Allgather::info, "allgatherv",
                                     "As allgather, with a length for every rank (all equal here).", "MPI_Allgatherv");
  using Call = Calls<MPI_Allgatherv, MPI_Iallgatherv, MPI_Allgatherv_init, MPI_Allgatherv_c>;
  auto arguments() const noexcept {
    return std::tuple(buffers.send, site.counted, site.type, buffers.receive, blocks.counts(), blocks.starts(),
                      site.type, site.comm);
  }
};

struct Alltoall : BlocksOfOthers {
  static constexpr Info info{.name = "alltoall",
                             .summary = "Every rank sends every rank a block of its own.",
                             .calls = "MPI_Alltoall",
                             .send = Size::per_rank,
                             .receive = Size::per_rank,
                             .result = Result::from_all_block,
                             .sharing = Sharing::in_place,
                             .bandwidth = "sent by one rank to the others",
                             .bus = Bus::others};
  using Call = Calls<MPI_Alltoall, MPI_Ialltoall, MPI_Alltoall_init, MPI_Alltoall_c>;
  auto arguments() const noexcept {
    return std::tuple(buffers.send, site.counted, site.type, buffers.receive, site.counted, site.type, site.comm);
  }
};

/// Where no rank's data come from where its last ones went: an odd call is undone by the next.
struct AlltoallAlternating : Placed {
  static constexpr Info info = [] {
    Info own = named(Alltoall::info, "alltoall_alternating",
                     "As alltoall, the two arrays changing places with every call (ATA).", Alltoall::info.calls);
    own.sharing = Sharing::refused;
    own.alternates = true;
    own.bandwidth = "sent by one rank, to itself too";
    return own;
  }();
  static constexpr std::int64_t bytes_moved(const Shape& shape) { return shape.ranks * shape.bytes; }
  void step() noexcept {
    MPI_Alltoall(buffers.send, site.count, site.type, buffers.receive, site.count, site.type, site.comm);
    std::swap(buffers.send, buffers.receive);
  }
};

struct Alltoallv : WithLengths {
  static constexpr Info info = named(Alltoall::info, "alltoallv",
                                     "As alltoall, with a length for every pair (all equal here).", "MPI_Alltoallv");
  using Call = Calls<MPI_Alltoallv, MPI_Ialltoallv, MPI_Alltoallv_init, MPI_Alltoallv_c>;
  auto arguments() const noexcept {
    return std::tuple(buffers.send, blocks.counts(), blocks.starts(), site.type, buffers.receive, blocks.counts(),
                      blocks.starts(), site.type, site.comm);
  }
};

struct UnevenOptions {
  double imbalance = 0.5;

  static constexpr auto table() {
    return std::array{option<&UnevenOptions::imbalance>(
        parameter::number("imbalance", "0.5", "of the mean", {0, 1},
                          "how much longer the longest block of an uneven collective is than their mean; the shortest "
                          "is as much shorter"))};
  }
  /// Elements of the blocks for this one of `ranks` ranks, of `mean` elements on average. They grow evenly from the
  /// first rank to the last, down to whole elements, and those for all ranks add up to `ranks` times `mean`.
  [[nodiscard]] std::int64_t length(std::int64_t mean, std::int64_t ranks, std::int64_t rank) const {
    const std::int64_t from_middle = 2 * rank - (ranks - 1);
    if (from_middle == 0) return mean;
    const double share = imbalance * static_cast<double>(std::abs(from_middle)) / static_cast<double>(ranks - 1);
    const auto difference = static_cast<std::int64_t>(share * static_cast<double>(mean));
    return from_middle > 0 ? mean + difference : mean - difference;
  }
};

/// Where some ranks own more of the data than others, as after a partition or a sort: the same number of bytes as
/// alltoallv, and the last rank receives most of them.
struct AlltoallvUneven : BlocksOfOthers {
  using Options = UnevenOptions;
  static constexpr Info info{
      .name = "alltoallv_uneven",
      .summary = "As alltoallv, with blocks that grow from those for the first rank to those for the last.",
      .calls = "MPI_Alltoallv",
      .send = Size::per_rank,
      .receive = Size::stated,
      .result = Result::stated,
      .in_parts = true,
      .bandwidth = "sent by one rank to the others, mean over ranks",
      .validation = "block r is what rank r sent to this rank, for every r, in the length of this rank's blocks"};
  static Memory memory(const Shape& shape, const Options& options) {
    const std::int64_t longest = options.length(shape.bytes / shape.element_bytes, shape.ranks, shape.ranks - 1);
    return {.send_bytes = shape.ranks * shape.bytes, .receive_bytes = shape.ranks * longest * shape.element_bytes};
  }
  /// The block for rank r is the sender's message r.
  static Contents contents(const Site& site, const Options& options) {
    Contents contents;
    const std::int64_t own = options.length(site.elements, site.ranks, site.rank);
    std::int64_t start = 0;
    for (int rank = 0; rank < site.ranks; ++rank) {
      const std::int64_t length = options.length(site.elements, site.ranks, rank);
      contents.sent.push_back({start * site.element_bytes, length, site.rank, rank});
      contents.received.push_back({rank * own * site.element_bytes, own, rank, site.rank});
      start += length;
    }
    return contents;
  }
  static void check(const Request& request, const Options& options) {
    const std::int64_t longest = options.length(request.elements, request.ranks, request.ranks - 1);
    if (longest <= std::numeric_limits<int>::max() / request.ranks) return;
    throw InputError("bytes=" + std::to_string(request.bytes) + " of " + std::string(request.operation) + " on " +
                     std::to_string(request.ranks) +
                     " ranks gives the last rank more elements than MPI's int counts can say (2147483647); use fewer "
                     "bytes, or less imbalance");
  }

  Options options;
  Blocks sent;
  Blocks received;
  void open() {
    Blocks::Lengths lengths;
    for (int rank = 0; rank < site.ranks; ++rank) lengths.push_back(options.length(site.count, site.ranks, rank));
    received = Blocks(Blocks::Lengths(lengths.size(), lengths[static_cast<std::size_t>(site.rank)]));
    sent = Blocks(lengths);
  }
  void step() noexcept {
    MPI_Alltoallv(buffers.send, sent.counts().small, sent.starts().small, site.type, buffers.receive,
                  received.counts().small, received.starts().small, site.type, site.comm);
  }
};

struct Alltoallw : WithLengths {
  static constexpr Info info =
      named(Alltoall::info, "alltoallw",
            "As alltoallv, with a datatype for every pair (all equal here) and starts in bytes.", "MPI_Alltoallw");
  /// An array with gaps takes two bytes for each of a message.
  static void check(const Request& request) {
    if (request.operation == "alltoallw_c" || request.bytes <= std::numeric_limits<int>::max() / (2 * request.ranks))
      return;
    throw InputError("bytes=" + std::to_string(request.bytes) + " of " + std::string(request.operation) + " on " +
                     std::to_string(request.ranks) +
                     " ranks gives starts in bytes that MPI's int can't say (2147483647); use fewer bytes");
  }
  std::vector<MPI_Aint> start_bytes;
  std::vector<int> small_start_bytes;
  std::vector<MPI_Datatype> types;
  void open() {
    WithLengths::open();
    types.assign(static_cast<std::size_t>(site.ranks), site.type);
    for (int rank = 0; rank < site.ranks; ++rank) start_bytes.push_back(rank * site.message_bytes);
    for (const MPI_Aint start : start_bytes) small_start_bytes.push_back(static_cast<int>(start));
  }
  using Call = Calls<MPI_Alltoallw, MPI_Ialltoallw, MPI_Alltoallw_init, MPI_Alltoallw_c>;
  auto arguments() const noexcept {
    const StartList starts{small_start_bytes.data(), start_bytes.data()};
    return std::tuple(buffers.send, blocks.counts(), starts, types.data(), buffers.receive, blocks.counts(), starts,
                      types.data(), site.comm);
  }
};

using Exchanges =
    OperationList<FormsWithoutCounts<Barrier>, AllForms<Allgather>, AllForms<Allgatherv>, AllForms<Alltoall>,
                  AlltoallAlternating, AllForms<Alltoallv>, AlltoallvUneven, AllForms<Alltoallw>>;

}  // namespace groma
