// Reductions whose result is needed everywhere. For the reduce_scatter pair, `bytes` is the block that a rank receives.
#pragma once

#include "groma/info.hpp"
#include "groma/operations/blocks.hpp"
#include "groma/operations/forms.hpp"

namespace groma {

struct Allreduce : Placed {
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
  using Call = Calls<MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init, MPI_Allreduce_c>;
  auto arguments() const noexcept {
    return std::tuple(buffers.send, buffers.receive, site.counted, site.type, site.reduction, site.comm);
  }
};

/// A rank reduces a block for every rank, its own too.
struct WholeArray : Placed {
  static constexpr std::int64_t bytes_moved(const Shape& shape) { return shape.ranks * shape.bytes; }
};

struct ReduceScatter : WholeArray {
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
  Blocks blocks;
  void open() { blocks = Blocks(site); }
  using Call = Calls<MPI_Reduce_scatter, MPI_Ireduce_scatter, MPI_Reduce_scatter_init, MPI_Reduce_scatter_c>;
  auto arguments() const noexcept {
    return std::tuple(buffers.send, buffers.receive, blocks.counts(), site.type, site.reduction, site.comm);
  }
};

struct ReduceScatterBlock : WholeArray {
  static constexpr Info info =
      named(ReduceScatter::info, "reduce_scatter_block", "The reduction, cut into equal blocks, one for every rank.",
            "MPI_Reduce_scatter_block");
  using Call = Calls<MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, MPI_Reduce_scatter_block_init,
                     MPI_Reduce_scatter_block_c>;
  auto arguments() const noexcept {
    return std::tuple(buffers.send, buffers.receive, site.counted, site.type, site.reduction, site.comm);
  }
};

struct Scan : Placed {
  static constexpr Info info{.name = "scan",
                             .summary = "The reduction over the ranks up to and including each rank.",
                             .calls = "MPI_Scan",
                             .send = Size::message,
                             .receive = Size::message,
                             .result = Result::reduced_through,
                             .sharing = Sharing::in_place,
                             .reduces = true,
                             .bandwidth = "message size over time"};
  using Call = Calls<MPI_Scan, MPI_Iscan, MPI_Scan_init, MPI_Scan_c>;
  auto arguments() const noexcept {
    return std::tuple(buffers.send, buffers.receive, site.counted, site.type, site.reduction, site.comm);
  }
};

struct Exscan : Placed {
  static constexpr Info info = [] {
    Info own = named(Scan::info, "exscan", "The reduction over the ranks before each rank.", "MPI_Exscan");
    own.result = Result::reduced_before;
    own.holders = Holders::not_first;
    return own;
  }();
  using Call = Calls<MPI_Exscan, MPI_Iexscan, MPI_Exscan_init, MPI_Exscan_c>;
  auto arguments() const noexcept {
    return std::tuple(buffers.send, buffers.receive, site.counted, site.type, site.reduction, site.comm);
  }
};

using Reductions = OperationList<AllForms<Allreduce>, AllForms<ReduceScatter>, AllForms<ReduceScatterBlock>,
                                 AllForms<Scan>, AllForms<Exscan>>;

}  // namespace groma
