// Collectives with a root. `bytes` is the message of one rank: bcast's and reduce's whole, gather's and scatter's
// block.
#pragma once

#include <array>
#include <string>

#include "groma/errors.hpp"
#include "groma/operations/blocks.hpp"
#include "groma/operations/forms.hpp"
#include "groma/operations/traffic.hpp"

namespace groma {

struct Bcast : Placed {
  static constexpr Info info{.name = "bcast",
                             .summary = "The root sends one message to every rank.",
                             .calls = "MPI_Bcast",
                             .send = Size::message,
                             .receive = Size::message,
                             .result = Result::from_root,
                             .sharing = Sharing::single,
                             .rooted = true,
                             .bandwidth = "message size over time",
                             .bus = Bus::whole};
  using Call = Calls<MPI_Bcast, MPI_Ibcast, MPI_Bcast_init, MPI_Bcast_c>;
  auto arguments() const noexcept { return std::tuple(buffers.receive, site.counted, site.type, site.root, site.comm); }
};

struct SegmentOptions {
  int segments = 1;

  static constexpr auto table() {
    return std::array{
        option<&SegmentOptions::segments>(parameter::count("segments", "1", "", {1, 2147483647},
                                                           "equal parts in which a segmented operation sends its "
                                                           "message"))};
  }
};

struct BcastSegmented : Placed {
  using Options = SegmentOptions;
  static constexpr Info info = [] {
    Info own = named(Bcast::info, "bcast_segmented",
                     "The root sends one message to every rank in equal segments, one call each.", Bcast::info.calls);
    own.in_parts = true;
    own.time = "all segments";
    return own;
  }();
  static void check(const Request& request, const Options& options) {
    if (request.elements % options.segments == 0) return;
    const std::string elements = std::to_string(request.elements);
    throw InputError("segments=" + std::to_string(options.segments) + " of " + std::string(request.operation) +
                     " do not divide its " + elements + " elements into equal parts; use a divisor of " + elements +
                     ", or other bytes");
  }

  Options options;
  int count = 0;
  std::int64_t length = 0;
  void open() {
    count = site.count / options.segments;
    length = site.message_bytes / options.segments;
  }
  void step() noexcept {
    auto* segment = static_cast<std::byte*>(buffers.receive);
    for (int i = 0; i < options.segments; ++i, segment += length) {
      MPI_Bcast(segment, count, site.type, site.root, site.comm);
    }
  }
};

struct Reduce : Placed {
  static constexpr Info info{.name = "reduce",
                             .summary = "The reduction of every rank's message, on the root.",
                             .calls = "MPI_Reduce",
                             .send = Size::message,
                             .receive = Size::message,
                             .result = Result::reduced,
                             .holders = Holders::root,
                             .sharing = Sharing::root_send,
                             .rooted = true,
                             .reduces = true,
                             .bandwidth = "message size over time",
                             .bus = Bus::whole};
  using Call = Calls<MPI_Reduce, MPI_Ireduce, MPI_Reduce_init, MPI_Reduce_c>;
  auto arguments() const noexcept {
    return std::tuple(site.rank == site.root ? buffers.root_send : buffers.send, buffers.receive, site.counted,
                      site.type, site.reduction, site.root, site.comm);
  }
};

struct Gather : BlocksOfOthers {
  static constexpr Info info{.name = "gather",
                             .summary = "The root collects one message from every rank.",
                             .calls = "MPI_Gather",
                             .send = Size::message,
                             .receive = Size::per_rank,
                             .result = Result::from_all,
                             .holders = Holders::root,
                             .sharing = Sharing::root_send,
                             .rooted = true,
                             .bandwidth = "received by the root from the others",
                             .bus = Bus::others};
  using Call = Calls<MPI_Gather, MPI_Igather, MPI_Gather_init, MPI_Gather_c>;
  auto arguments() const noexcept {
    return std::tuple(site.rank == site.root ? buffers.root_send : buffers.send, site.counted, site.type,
                      buffers.receive, site.counted, site.type, site.root, site.comm);
  }
};

struct Gatherv : WithLengths {
  static constexpr Info info =
      named(Gather::info, "gatherv", "As gather, with a length for every rank (all equal here).", "MPI_Gatherv");
  using Call = Calls<MPI_Gatherv, MPI_Igatherv, MPI_Gatherv_init, MPI_Gatherv_c>;
  auto arguments() const noexcept {
    return std::tuple(site.rank == site.root ? buffers.root_send : buffers.send, site.counted, site.type,
                      buffers.receive, blocks.counts(), blocks.starts(), site.type, site.root, site.comm);
  }
};

struct Scatter : BlocksOfOthers {
  static constexpr Info info{.name = "scatter",
                             .summary = "The root sends every rank a block of its own.",
                             .calls = "MPI_Scatter",
                             .send = Size::per_rank,
                             .receive = Size::message,
                             .result = Result::from_root_block,
                             .sharing = Sharing::root_receive,
                             .rooted = true,
                             .bandwidth = "sent by the root to the others",
                             .bus = Bus::others};
  using Call = Calls<MPI_Scatter, MPI_Iscatter, MPI_Scatter_init, MPI_Scatter_c>;
  auto arguments() const noexcept {
    return std::tuple(buffers.send, site.counted, site.type,
                      site.rank == site.root ? buffers.root_receive : buffers.receive, site.counted, site.type,
                      site.root, site.comm);
  }
};

struct Scatterv : WithLengths {
  static constexpr Info info =
      named(Scatter::info, "scatterv", "As scatter, with a length for every rank (all equal here).", "MPI_Scatterv");
  using Call = Calls<MPI_Scatterv, MPI_Iscatterv, MPI_Scatterv_init, MPI_Scatterv_c>;
  auto arguments() const noexcept {
    return std::tuple(buffers.send, blocks.counts(), blocks.starts(), site.type,
                      site.rank == site.root ? buffers.root_receive : buffers.receive, site.counted, site.type,
                      site.root, site.comm);
  }
};

using RootedCollectives = OperationList<AllForms<Bcast>, BcastSegmented, AllForms<Reduce>, AllForms<Gather>,
                                        AllForms<Gatherv>, AllForms<Scatter>, AllForms<Scatterv>>;

}  // namespace groma
