// Reductions whose result is needed everywhere. For the reduce_scatter pair, `bytes` is the block that a rank receives.
#pragma once

#include "groma/info.hpp"
#include "groma/operations/blocks.hpp"

namespace groma {

struct Allreduce {
  static constexpr Info info{.name = "allreduce",
                             .summary = "The reduction of every rank's message, on every rank.",
                             .calls = "MPI_Allreduce",
                             .send = Size::message,
                             .receive = Size::message,
                             .result = Result::reduced,
                             .sharing = Sharing::in_place,
                             .reduces = true,
                             .bandwidth = "message size over time",
                             .bus = Bus::others_twice};
  Site site;
  Buffers buffers;
  void step() noexcept {
    MPI_Allreduce(buffers.send, buffers.receive, site.count, site.type, site.reduction, site.comm);
  }
};

struct ReduceScatter {
  static constexpr Info info{
      .name = "reduce_scatter",
      .summary = "The reduction, cut into blocks of given lengths (all equal here), one for every rank.",
      .calls = "MPI_Reduce_scatter",
      .send = Size::per_rank,
      .receive = Size::message,
      .result = Result::reduced_block,
      .sharing = Sharing::in_place,
      .reduces = true,
      .bandwidth = "block size times ranks over time",
      .bus = Bus::others};
  static constexpr std::int64_t bytes_moved(const Shape& shape) { return shape.ranks * shape.bytes; }
  Site site;
  Buffers buffers;
  Blocks blocks;
  void open() { blocks = Blocks(site); }
  void step() noexcept {
    MPI_Reduce_scatter(buffers.send, buffers.receive, blocks.counts(), site.type, site.reduction, site.comm);
  }
};

struct ReduceScatterBlock {
  static constexpr Info info{.name = "reduce_scatter_block",
                             .summary = "The reduction, cut into equal blocks, one for every rank.",
                             .calls = "MPI_Reduce_scatter_block",
                             .send = Size::per_rank,
                             .receive = Size::message,
                             .result = Result::reduced_block,
                             .sharing = Sharing::in_place,
                             .reduces = true,
                             .bandwidth = "block size times ranks over time",
                             .bus = Bus::others};
  static constexpr std::int64_t bytes_moved(const Shape& shape) { return shape.ranks * shape.bytes; }
  Site site;
  Buffers buffers;
  void step() noexcept {
    MPI_Reduce_scatter_block(buffers.send, buffers.receive, site.count, site.type, site.reduction, site.comm);
  }
};

struct Scan {
  static constexpr Info info{.name = "scan",
                             .summary = "The reduction over the ranks up to and including each rank.",
                             .calls = "MPI_Scan",
                             .send = Size::message,
                             .receive = Size::message,
                             .result = Result::reduced_through,
                             .sharing = Sharing::in_place,
                             .reduces = true,
                             .bandwidth = "message size over time"};
  Site site;
  Buffers buffers;
  void step() noexcept { MPI_Scan(buffers.send, buffers.receive, site.count, site.type, site.reduction, site.comm); }
};

struct Exscan {
  static constexpr Info info{.name = "exscan",
                             .summary = "The reduction over the ranks before each rank.",
                             .calls = "MPI_Exscan",
                             .send = Size::message,
                             .receive = Size::message,
                             .result = Result::reduced_before,
                             .holders = Holders::not_first,
                             .sharing = Sharing::in_place,
                             .reduces = true,
                             .bandwidth = "message size over time"};
  Site site;
  Buffers buffers;
  void step() noexcept { MPI_Exscan(buffers.send, buffers.receive, site.count, site.type, site.reduction, site.comm); }
};

}  // namespace groma
