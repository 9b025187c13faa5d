// Work that MPI does on the arrays of one rank: reductions, and messages that are packed and unpacked, by MPI and by
// hand.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "groma/clock/clocks.hpp"
#include "groma/errors.hpp"
#include "groma/operations/forms.hpp"
#include "groma/operations/traffic.hpp"
#include "groma/stopping/stop.hpp"

namespace groma {

/// Throws InputError for more bytes than the int says in which MPI_Pack counts.
inline void check_packed(const Request& request) {
  constexpr std::int64_t most_bytes = std::numeric_limits<int>::max() / 2;
  if (request.bytes <= most_bytes) return;
  throw InputError("bytes=" + std::to_string(request.bytes) + " of " + std::string(request.operation) +
                   " is more than the packed memory whose size MPI takes as an int; use " + std::to_string(most_bytes) +
                   " or fewer");
}

struct ReduceLocal : Placed {
  static constexpr Info info{.name = "reduce_local",
                             .summary = "One array is reduced into another of the same rank, without communication.",
                             .calls = "MPI_Reduce_local",
                             .family = Family::harness,
                             .send = Size::message,
                             .receive = Size::message,
                             .result = Result::reduced_own,
                             .reduces = true,
                             .bandwidth = "message size over time"};
  using Call = Calls<MPI_Reduce_local, nullptr, nullptr, MPI_Reduce_local_c>;
  auto arguments() const noexcept {
    return std::tuple(buffers.send, buffers.receive, site.counted, site.type, site.reduction);
  }
};

struct OpCreate : Placed {
  static constexpr Info info{.name = "op_create",
                             .summary = "A reduction of the user's own is made and freed.",
                             .calls = "MPI_Op_create, MPI_Op_free",
                             .family = Family::harness,
                             .time = "one operation made and freed"};
  static void nothing(void*, void*, int*, MPI_Datatype*) {}
  void step() noexcept {
    MPI_Op made;
    MPI_Op_create(nothing, 1, &made);
    MPI_Op_free(&made);
  }
};

/// A message goes into packed memory, and from there into the receive array.
template <class By>
struct Packing : By {
  static constexpr Info common{.family = Family::harness,
                               .send = Size::message,
                               .receive = Size::message,
                               .result = Result::own,
                               .time = "packing and unpacking; see the phases",
                               .timing = "call"};
  static constexpr std::array<std::string_view, 2> phases{"pack", "unpack"};
  static constexpr std::int64_t bytes_moved(const Shape&) { return 0; }
  static void check(const Request& request) { check_packed(request); }
  std::vector<std::int64_t> phase_ns;  ///< of every repetition since they were last taken
  std::int64_t taken = 0;

  void open() {
    By::open();
    phase_ns.resize(phases.size() * static_cast<std::size_t>(longest_batch));
  }
  void step() noexcept {
    const std::int64_t begin = Monotonic::now();
    By::pack();
    const std::int64_t between = Monotonic::now();
    By::unpack();
    const std::int64_t end = Monotonic::now();
    std::int64_t* own = &phase_ns[static_cast<std::size_t>(taken++) * phases.size()];
    own[0] = between - begin;
    own[1] = end - between;
  }
};

struct PackedByMpi : Placed {
  std::vector<std::byte> packed;
  int size = 0;
  void open() {
    MPI_Pack_size(site.count, site.type, site.comm, &size);
    packed.resize(static_cast<std::size_t>(size));
  }
  void pack() noexcept {
    int position = 0;
    MPI_Pack(buffers.send, site.count, site.type, packed.data(), size, &position, site.comm);
  }
  void unpack() noexcept {
    int position = 0;
    MPI_Unpack(packed.data(), size, &position, buffers.receive, site.count, site.type, site.comm);
  }
};
struct Pack : Packing<PackedByMpi> {
  static constexpr Info info = named(
      common, "pack", "A message of any layout is packed, and unpacked into another array.", "MPI_Pack, MPI_Unpack");
};

struct PackedPortably : Placed {
  std::string format = "external32";  // not const: SimGrid's declarations take it so
  std::vector<std::byte> packed;
  MPI_Aint size = 0;
  void open() {
    MPI_Pack_external_size(format.data(), site.count, site.type, &size);
    packed.resize(static_cast<std::size_t>(size));
  }
  void pack() noexcept {
    MPI_Aint position = 0;
    MPI_Pack_external(format.data(), buffers.send, site.count, site.type, packed.data(), size, &position);
  }
  void unpack() noexcept {
    MPI_Aint position = 0;
    MPI_Unpack_external(format.data(), packed.data(), size, &position, buffers.receive, site.count, site.type);
  }
};
struct PackExternal : Packing<PackedPortably> {
  static constexpr Info info = named(common, "pack_external", "As pack, in the format that all machines have.",
                                     "MPI_Pack_external, MPI_Unpack_external");
  static void check(const Request& request) {
    check_packed(request);
    if (request.datatype != "2int" && request.datatype != "double_int") return;
    throw InputError("datatype=" + std::string(request.datatype) +
                     " of pack_external can't be: libraries have no portable format of it; use int32 or double");
  }
};

/// As programs do it that have lists of places: one loop, whatever the layout.
struct PackedByHand : Placed {
  std::vector<double> packed;
  std::vector<std::int64_t> places;
  /// The places of a layout are found by packing an array of their numbers.
  void open() {
    std::vector<double> numbers(static_cast<std::size_t>(site.message_bytes / site.element_bytes));
    std::iota(numbers.begin(), numbers.end(), 0.0);
    packed.resize(static_cast<std::size_t>(site.elements));
    int position = 0;
    MPI_Pack(numbers.data(), site.count, site.type, packed.data(), static_cast<int>(8 * packed.size()), &position,
             site.comm);
    places.assign(packed.begin(), packed.end());
  }
  void pack() noexcept {
    const auto* from = static_cast<const double*>(buffers.send);
    for (std::size_t i = 0; i < places.size(); ++i) packed[i] = from[places[i]];
  }
  void unpack() noexcept {
    auto* to = static_cast<double*>(buffers.receive);
    for (std::size_t i = 0; i < places.size(); ++i) to[places[i]] = packed[i];
  }
};
struct PackByHand : Packing<PackedByHand> {
  static constexpr Info info = [] {
    Info own = named(common, "pack_by_hand", "As pack, by a loop over a list of the places of its doubles.", "");
    own.on_doubles = true;
    own.by_hand = true;
    return own;
  }();
};

using LocalWork =
    OperationList<Blocking<ReduceLocal>, WithLargeCounts<ReduceLocal>, OpCreate, Pack, PackExternal, PackByHand>;

}  // namespace groma
