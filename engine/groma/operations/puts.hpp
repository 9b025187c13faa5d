// Messages that one rank writes to another's memory, or reads from it.
#pragma once

#include "groma/operations/one_sided.hpp"

namespace groma {

struct Put : OneSided {
  static constexpr Info info = one_sided({.name = "put",
                                          .summary = "A message is written to the partner's memory",
                                          .calls = "MPI_Put",
                                          .holders = Holders::second,
                                          .time = "one epoch: its calls, and what completes them"});
  static constexpr std::string_view requests = "MPI_Rput";
  using Call = Calls<MPI_Put, MPI_Rput>;
  auto arguments(int index) const noexcept {
    return std::tuple(buffers.send, site.count, site.type, target, displacement(index), site.count, site.type, win());
  }
};

struct Get : OneSided {
  static constexpr Info info = [] {
    Info own = named(Put::info, "get", "A message is read from the partner's memory", "MPI_Get");
    own.holders = Holders::first;
    return own;
  }();
  static constexpr std::string_view requests = "MPI_Rget";
  using Call = Calls<MPI_Get, MPI_Rget>;
  auto arguments(int index) const noexcept {
    return std::tuple(buffers.slot(site, index), site.count, site.type, target, displacement(0), site.count, site.type,
                      win());
  }
  [[nodiscard]] std::span<std::byte> exposed() const noexcept { return site.send_array; }
  [[nodiscard]] void* exposed_place() const noexcept { return buffers.send; }
};

/// Both ranks of a pair call, each reaching the other.
template <class Of>
struct BothWays : Of {
  static constexpr bool both_ways = true;
  static constexpr Text name{"bi", Of::info.name};
  static constexpr Text summary{Of::info.summary, ", by both of a pair at once"};
  static constexpr Info info = [] {
    Info own = named(Of::info, name, summary, Of::info.calls);
    own.holders = Holders::every;
    own.timers = Timers::every;
    own.bandwidth = "messages of both epochs over time, both directions";
    return own;
  }();
  static constexpr std::int64_t bytes_moved(const Shape& shape, const EpochOptions& options) {
    return 2 * Of::bytes_moved(shape, options);
  }
  static constexpr std::int64_t messages(const Shape& shape, const EpochOptions& options) {
    return 2 * Of::messages(shape, options);
  }
};

using Puts = OperationList<AllEpochs<Put>, Requested<Put>, AllEpochs<BothWays<Put>>>;
using Gets = OperationList<AllEpochs<Get>, Requested<Get>, AllEpochs<BothWays<Get>>>;

}  // namespace groma
