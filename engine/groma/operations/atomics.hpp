// Calls that change what they find in another rank's memory, as one step.
#pragma once

#include <utility>

#include "groma/operations/one_sided.hpp"

namespace groma {

/// The target's places hold its own message before the calls, so that what they make of it is known.
struct Combining : OneSided {
  static constexpr Info combining(Info own) {
    own = one_sided(own);
    own.accumulates = true;
    own.time = "one epoch: its calls, and what completes them";
    return own;
  }
  void begin_contents() {
    OneSided::begin_contents();
    for (int index = 0; index < options.calls; ++index) {
      MPI_Sendrecv(buffers.send, site.count, site.type, 0, 0, buffers.slot(site, index), site.count, site.type, 0, 0,
                   MPI_COMM_SELF, MPI_STATUS_IGNORE);
    }
  }
};

struct Accumulate : Combining {
  static constexpr Info info = [] {
    Info own = combining({.name = "accumulate",
                          .summary = "A message is reduced with what the partner's memory holds",
                          .calls = "MPI_Accumulate",
                          .holders = Holders::second,
                          .reduces = true});
    own.result = Result::reduced_with_partner;
    return own;
  }();
  static constexpr std::string_view requests = "MPI_Raccumulate";
  using Call = Calls<MPI_Accumulate, MPI_Raccumulate>;
  auto arguments(int index) const noexcept {
    return std::tuple(source(index), site.count, site.type, target, displacement(index), site.count, site.type,
                      site.reduction, win());
  }
};

/// Every rank reaches all others, the next one first.
struct AccumulateToAll : Accumulate {
  static constexpr Info info = [] {
    Info own = named(Accumulate::info, "accumulate_to_all",
                     "A message is reduced with what every other rank's memory holds", "MPI_Accumulate");
    own.parties = Parties::group;
    own.result = Result::reduced;
    own.holders = Holders::every;
    own.timers = Timers::every;
    own.sync = "dissemination";
    return own;
  }();
  void choose_target(bool) { target = site.right; }
  [[nodiscard]] int call_count() const noexcept { return options.calls * (site.ranks - 1); }
  auto arguments(int index) const noexcept {
    const int to = (site.rank + 1 + index % (site.ranks - 1)) % site.ranks;
    const int call = index / (site.ranks - 1);
    const MPI_Aint start = window.start(to) + place + call * site.message_bytes;
    return std::tuple(source(call), site.count, site.type, to, start, site.count, site.type, site.reduction, win());
  }
};

struct GetAccumulate : Combining {
  static constexpr Info info = [] {
    Info own = named(Accumulate::info, "get_accumulate", "As accumulate, and what was there before comes back",
                     "MPI_Get_accumulate");
    own.result = Result::fetched_and_reduced;
    own.holders = Holders::every;
    return own;
  }();
  static constexpr std::string_view requests = "MPI_Rget_accumulate";
  using Call = Calls<MPI_Get_accumulate, MPI_Rget_accumulate>;
  auto arguments(int index) const noexcept {
    return std::tuple(source(index), site.count, site.type, buffers.slot(site, index), site.count, site.type, target,
                      displacement(index), site.count, site.type, site.reduction, win());
  }
};

/// Of one element, whose type processors know.
struct OfOneElement : Combining {
  static constexpr Info one_element(Info own) {
    own.bytes = "8";
    own.datatype = "int64";
    own.in_parts = true;
    return own;
  }
  static void check(const Request& request, const Options& options) {
    OneSided::check(request, options);
    if (request.elements == 1) return;
    throw UnfitError(std::string(request.operation) + " acts on one element; use bytes=" +
                     std::to_string(request.bytes / std::max<std::int64_t>(1, request.elements)) +
                     " with datatype=" + std::string(request.datatype));
  }
};

struct FetchAndOp : OfOneElement {
  static constexpr Info info = one_element(
      named(GetAccumulate::info, "fetch_and_op",
            "One element is reduced with the partner's, and what was there before comes back", "MPI_Fetch_and_op"));
  using Call = Calls<MPI_Fetch_and_op>;
  auto arguments(int index) const noexcept {
    return std::tuple(source(index), buffers.slot(site, index), site.type, target, displacement(index), site.reduction,
                      win());
  }
};

/// Every call finds what it compares with: the origin's and the target's first element take turns.
struct CompareAndSwap : OfOneElement {
  static constexpr Info info = [] {
    Info own = one_element(combining({.name = "compare_and_swap",
                                      .summary = "One element replaces the partner's if that is the one expected",
                                      .calls = "MPI_Compare_and_swap"}));
    own.validation = "the target holds the origin's element, and the origin the one that was there before";
    return own;
  }();
  static void check(const Request& request, const Options& options) {
    OfOneElement::check(request, options);
    if (options.sources() > 1) {
      throw InputError(
          "epoch_source=separate of compare_and_swap can't be: its calls take turns with two elements; "
          "leave it out");
    }
    if (request.datatype != "float" && request.datatype != "double") return;
    throw InputError("compare_and_swap is defined for whole numbers and bytes alone; use datatype=int64");
  }
  alignas(8) std::array<std::byte, 8> theirs{};
  void* expected = nullptr;
  void* replacement = nullptr;

  using Call = Calls<MPI_Compare_and_swap>;
  auto arguments(int index) const noexcept {
    return std::tuple(replacement, expected, buffers.slot(site, index), site.type, target, displacement(index), win());
  }
  void take_turns() noexcept { std::swap(expected, replacement); }
  void begin_contents() {
    Combining::begin_contents();
    MPI_Sendrecv(buffers.send, 1, site.type, target, 0, theirs.data(), 1, site.type, target, 0, site.comm,
                 MPI_STATUS_IGNORE);
    expected = theirs.data();
    replacement = buffers.send;
  }
};

/// All other ranks reach the first, in the same places.
template <class Of>
struct FanIn : Of {
  static constexpr Text name{"fan_in/", Of::info.name};
  static constexpr Info info = [] {
    Info own = named(Of::info, name, "Every rank but the first changes the same place in the first one's memory",
                     Of::info.calls);
    own.parties = Parties::group;
    own.result = Result::reduced;
    own.holders = Holders::root;
    own.timers = Timers::every;
    own.sync = "dissemination";
    own.time = "one epoch of every rank but the first, until the slowest is done";
    own.bandwidth = "messages of all epochs over time";
    return own;
  }();
  static constexpr std::int64_t bytes_moved(const Shape& shape, const EpochOptions& options) {
    return (shape.ranks - 1) * Of::bytes_moved(shape, options);
  }
  static constexpr std::int64_t messages(const Shape& shape, const EpochOptions& options) {
    return (shape.ranks - 1) * Of::messages(shape, options);
  }
  void choose_target(bool) {
    this->target = 0;
    this->calling = this->site.rank != 0;
    this->serving = !this->calling;
  }
};

using Accumulates = OperationList<AllEpochs<Accumulate>, Requested<Accumulate>, AllEpochs<GetAccumulate>,
                                  Requested<GetAccumulate>, In<FanIn<Accumulate>, Flush>>;
using Atomics = OperationList<AllEpochs<FetchAndOp>, AllEpochs<CompareAndSwap>, In<FanIn<FetchAndOp>, Flush>>;

}  // namespace groma
