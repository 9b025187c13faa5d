// Messages that one rank writes to another's memory, or reads from it.
#pragma once

#include <numeric>

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
    return std::tuple(source(index), site.count, site.type, target, displacement(index), site.count, site.type, win());
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
    return std::tuple(buffers.slot(site, index), site.count, site.type, target, base + index * source_bytes, site.count,
                      site.type, win());
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

/// Around the ring: every rank reaches its right neighbour.
struct PutAround : Put {
  static constexpr Info info = [] {
    Info own = named(Put::info, "put_around", "A message is written to the right neighbour's memory", "MPI_Put");
    own.parties = Parties::group;
    own.result = Result::from_left;
    own.holders = Holders::every;
    own.timers = Timers::every;
    own.sync = "dissemination";
    return own;
  }();
  void choose_target(bool) { target = site.right; }
};

/// A rank reaches several others in one epoch.
struct ReachingSeveral : Reaching {
  using Options = WindowOptions;
  static constexpr Info common(std::string_view name, std::string_view summary, std::string_view calls) {
    return {.name = name,
            .summary = summary,
            .calls = calls,
            .family = Family::point_to_point,
            .min_ranks = 2,
            .send = Size::message,
            .one_sided = true,
            .bandwidth = "messages of all ranks over time",
            .sync = "dissemination"};
  }
  static void check(const Request& request, const Options& options) { require_caches(request, options.window); }

  Options options;
};

/// Every rank reaches all others, the next one first.
struct WithAll : ReachingSeveral {
  static constexpr Info info_of(std::string_view name, std::string_view summary, std::string_view calls) {
    Info own = common(name, summary, calls);
    own.receive = Size::per_rank;
    own.result = Result::from_others;
    own.time = "one epoch with a call for every other rank, until the slowest is done";
    return own;
  }
  static constexpr std::int64_t bytes_moved(const Shape& shape) { return messages(shape) * shape.bytes; }
  static constexpr std::int64_t messages(const Shape& shape) { return shape.ranks * (shape.ranks - 1); }

  void choose_target(bool) { target = site.right; }
  [[nodiscard]] int call_count() const noexcept { return site.ranks - 1; }
  [[nodiscard]] int place_count() const noexcept { return site.ranks; }
  [[nodiscard]] int other(int index) const noexcept { return (site.rank + 1 + index) % site.ranks; }
};

struct PutToAll : WithAll {
  static constexpr Info info = info_of("put_to_all", "A message is written to every other rank's memory", "MPI_Put");
  using Call = Calls<MPI_Put>;
  auto arguments(int index) const noexcept {
    const int to = other(index);
    return std::tuple(buffers.send, site.count, site.type, to,
                      window.start(to) + place + site.rank * site.message_bytes, site.count, site.type, win());
  }
};

struct PutToEach : PutToAll {
  struct Call {
    template <class... Arguments>
    static void now(const std::tuple<Arguments...>& all) noexcept {
      const int to = std::get<3>(all);
      const MPI_Win win = std::get<sizeof...(Arguments) - 1>(all);
      MPI_Win_lock(MPI_LOCK_SHARED, to, 0, win);
      Calls<MPI_Put>::now(all);
      MPI_Win_unlock(to, win);
    }
  };
};

struct GetFromAll : WithAll {
  static constexpr Info info = info_of("get_from_all", "A message is read from every other rank's memory", "MPI_Get");
  using Call = Calls<MPI_Get>;
  auto arguments(int index) const noexcept {
    const int from = other(index);
    return std::tuple(buffers.slot(site, from), site.count, site.type, from, window.start(from) + place, site.count,
                      site.type, win());
  }
  [[nodiscard]] std::span<std::byte> exposed() const noexcept { return site.send_array; }
  [[nodiscard]] void* exposed_place() const noexcept { return buffers.send; }
  [[nodiscard]] int place_count() const noexcept { return 1; }
};

/// What arrives is stated by `contents`.
struct WithSome : ReachingSeveral {
  static constexpr Info info_of(std::string_view name, std::string_view summary, std::string_view calls) {
    Info own = common(name, summary, calls);
    own.receive = Size::stated;
    own.result = Result::stated;
    own.time = "one epoch with a call for every rank that is reached";
    own.validation = "every message is the one of the rank that wrote it, or from whom it was read";
    return own;
  }
  static Contents contents_from(const Site& site, const std::vector<int>& senders) {
    Contents contents{.sent = {{.elements = site.elements, .from = site.rank}}, .received = {}};
    for (const int from : senders) {
      contents.received.push_back({.start_bytes = contents.round_bytes, .elements = site.elements, .from = from});
      contents.round_bytes += site.message_bytes;
    }
    return contents;
  }
};

inline std::vector<int> others_than_first(const Site& site) {
  std::vector<int> ranks(static_cast<std::size_t>(site.ranks - 1));
  std::iota(ranks.begin(), ranks.end(), 1);
  return ranks;
}

/// The first rank reaches all others.
struct FromFirst : WithSome {
  static constexpr Info info_of(std::string_view name, std::string_view summary, std::string_view calls) {
    Info own = WithSome::info_of(name, summary, calls);
    own.timers = Timers::first;
    return own;
  }
  static constexpr std::int64_t messages(const Shape& shape) { return shape.ranks - 1; }
  static constexpr std::int64_t bytes_moved(const Shape& shape) { return messages(shape) * shape.bytes; }

  void choose_target(bool) {
    target = site.right;
    calling = site.rank == 0;
    serving = !calling;
  }
  [[nodiscard]] int call_count() const noexcept { return site.ranks - 1; }
};

struct PutFromOne : FromFirst {
  static constexpr Info info = [] {
    Info own = info_of("put_from_one", "The first rank writes a message to every other rank's memory", "MPI_Put");
    own.holders = Holders::not_first;
    return own;
  }();
  using Call = Calls<MPI_Put>;
  static constexpr Memory memory(const Shape& shape, const Options&) { return {shape.bytes, shape.bytes}; }
  static Contents contents(const Site& site, const Options&) { return contents_from(site, {0}); }
  auto arguments(int index) const noexcept {
    return std::tuple(buffers.send, site.count, site.type, index + 1, window.start(index + 1) + place, site.count,
                      site.type, win());
  }
};

/// All others reach the first rank, each a place of its own.
struct PutToOne : WithSome {
  static constexpr Info info = [] {
    Info own = info_of("put_to_one", "Every rank but the first writes a message to the first one's memory", "MPI_Put");
    own.holders = Holders::first;
    own.time = "one epoch of every rank but the first, until the slowest is done";
    return own;
  }();
  using Call = Calls<MPI_Put>;
  static constexpr std::int64_t messages(const Shape& shape) { return shape.ranks - 1; }
  static constexpr std::int64_t bytes_moved(const Shape& shape) { return messages(shape) * shape.bytes; }
  static constexpr Memory memory(const Shape& shape, const Options&) {
    return {shape.bytes, (shape.ranks - 1) * shape.bytes};
  }
  static Contents contents(const Site& site, const Options&) { return contents_from(site, others_than_first(site)); }

  void choose_target(bool) {
    target = 0;
    calling = site.rank != 0;
    serving = !calling;
  }
  [[nodiscard]] int place_count() const noexcept { return site.ranks - 1; }
  auto arguments(int) const noexcept {
    return std::tuple(buffers.send, site.count, site.type, target, displacement(site.rank - 1), site.count, site.type,
                      win());
  }
};

struct GetByOne : FromFirst {
  static constexpr Info info = [] {
    Info own = info_of("get_by_one", "The first rank reads a message from every other rank's memory", "MPI_Get");
    own.holders = Holders::first;
    return own;
  }();
  using Call = Calls<MPI_Get>;
  static constexpr Memory memory(const Shape& shape, const Options&) {
    return {shape.bytes, (shape.ranks - 1) * shape.bytes};
  }
  static Contents contents(const Site& site, const Options&) { return contents_from(site, others_than_first(site)); }
  auto arguments(int index) const noexcept {
    return std::tuple(buffers.slot(site, index), site.count, site.type, index + 1, window.start(index + 1) + place,
                      site.count, site.type, win());
  }
  [[nodiscard]] std::span<std::byte> exposed() const noexcept { return site.send_array; }
  [[nodiscard]] void* exposed_place() const noexcept { return buffers.send; }
};

/// Every rank reaches both of its neighbours.
struct WithNeighbours : WithSome {
  static constexpr std::int64_t messages(const Shape& shape) { return 2 * shape.ranks; }
  static constexpr std::int64_t bytes_moved(const Shape& shape) { return messages(shape) * shape.bytes; }
  static constexpr Memory memory(const Shape& shape, const Options&) { return {shape.bytes, 2 * shape.bytes}; }
  static Contents contents(const Site& site, const Options&) { return contents_from(site, {site.left, site.right}); }

  void choose_target(bool) { target = site.right; }
  [[nodiscard]] int call_count() const noexcept { return 2; }
};

struct PutToNeighbours : WithNeighbours {
  static constexpr Info info =
      info_of("put_to_neighbours", "A message is written to the memory of both neighbours", "MPI_Put");
  using Call = Calls<MPI_Put>;
  /// The right neighbour has this rank on its left.
  auto arguments(int index) const noexcept {
    const int to = index == 0 ? site.right : site.left;
    return std::tuple(buffers.send, site.count, site.type, to, window.start(to) + place + index * site.message_bytes,
                      site.count, site.type, win());
  }
  [[nodiscard]] int place_count() const noexcept { return 2; }
};

struct GetFromNeighbours : WithNeighbours {
  static constexpr Info info =
      info_of("get_from_neighbours", "A message is read from the memory of both neighbours", "MPI_Get");
  using Call = Calls<MPI_Get>;
  auto arguments(int index) const noexcept {
    const int from = index == 0 ? site.left : site.right;
    return std::tuple(buffers.slot(site, index), site.count, site.type, from, window.start(from) + place, site.count,
                      site.type, win());
  }
  [[nodiscard]] std::span<std::byte> exposed() const noexcept { return site.send_array; }
  [[nodiscard]] void* exposed_place() const noexcept { return buffers.send; }
};

using Puts =
    OperationList<AllEpochs<Put>, Also<Put, Tested<Pscw>>, Requested<Put>, AllEpochs<BothWays<Put>>,
                  In<PutToAll, FlushAll>, In<PutToAll, Fence>, In<PutToEach, LockEach>, In<PutFromOne, FlushAll>,
                  In<PutFromOne, FlushLocalAll>, In<PutToOne, Lock>, In<PutToNeighbours, FlushAll>>;
using Gets = OperationList<AllEpochs<Get>, Requested<Get>, AllEpochs<BothWays<Get>>, In<GetFromAll, FlushAll>,
                           In<GetFromAll, Fence>, In<GetByOne, FlushAll>, In<GetByOne, FlushLocalAll>,
                           In<GetFromNeighbours, FlushAll>>;

}  // namespace groma
