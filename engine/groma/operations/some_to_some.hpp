// The message passing of a domain decomposition: few, unequal messages between ranks drawn at random (STS, NAS page).
// `bytes` is the longest message; the list of messages follows from map_messages, map_sides and map_seed. All messages
// of a rank are sent from one buffer, as the NAS page's program does, or each from a place of its own: map_send_buffer.
// Each is received in a place of its own, since receives that are pending together must not overlap (MPI-4.1, 3.7.2).
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "groma/info.hpp"
#include "groma/patterns/transfers.hpp"

namespace groma {

inline constexpr Choice map_sides[] = {{"single", "the pairs as drawn"},
                                       {"double", "and each reversed, with a length of its own"}};
inline constexpr Choice map_send_buffers[] = {
    {"one", "all messages of a rank from one buffer, which stays in the cache (STS)"},
    {"separate", "each message from a place of its own"}};

enum class MapSides { one_way, both_ways };

struct TransferOptions {
  int messages = 1;
  MapSides sides = MapSides::one_way;
  std::uint32_t seed = 1;
  SendFrom send_from = SendFrom::one_buffer;

  static constexpr auto table() {
    return std::array{option<&TransferOptions::messages>(parameter::count(
                          "map_messages", "6", "messages", {1, 65536},
                          "average number of messages that each rank sends, in operations that draw a list of them")),
                      option<&TransferOptions::sides>(parameter::choice(
                          "map_sides", "single", map_sides, "whether the list also has every pair reversed")),
                      option<&TransferOptions::seed>(
                          parameter::count("map_seed", "1", "", {0, 4294967295}, "seed from which that list is drawn")),
                      option<&TransferOptions::send_from>(parameter::choice(
                          "map_send_buffer", "one", map_send_buffers, "send buffers of the messages of that list"))};
  }
  /// The list among a number of ranks, of messages of up to a number of elements.
  [[nodiscard]] std::vector<Transfer> list(std::int64_t ranks, std::int64_t longest) const {
    return draw_transfers({.ranks = static_cast<int>(ranks),
                           .messages = messages,
                           .both_ways = sides == MapSides::both_ways,
                           .seed = seed,
                           .longest = longest});
  }
};

/// What the two styles have in common.
struct SomeToSome : Placed {
  using Options = TransferOptions;
  static constexpr Info common{
      .family = Family::point_to_point,
      .min_ranks = 2,
      .send = Size::stated,
      .receive = Size::stated,
      .result = Result::stated,
      .in_parts = true,
      .time = "one pass: every message of the list",
      .bandwidth = "all messages of the list over time, all ranks together",
      .sync = "dissemination",
      .bytes = "262144",
      .validation = "every element of every message for this rank is the one that its source sent"};
  static std::vector<Transfer> list(const Shape& shape, const Options& options) {
    return options.list(shape.ranks, shape.bytes / shape.element_bytes);
  }
  static std::int64_t bytes_moved(const Shape& shape, const Options& options) {
    return total_length(list(shape, options)) * shape.element_bytes;
  }
  static std::int64_t messages(const Shape& shape, const Options& options) {
    return static_cast<std::int64_t>(list(shape, options).size());
  }
  static Memory memory(const Shape& shape, const Options& options) {
    const Heaviest most = heaviest(list(shape, options), static_cast<int>(shape.ranks));
    const std::int64_t bytes = shape.element_bytes * std::max(most.sent, most.received);
    return {.send_bytes = options.send_from == SendFrom::one_buffer ? shape.bytes : bytes, .receive_bytes = bytes};
  }
  /// The messages of a rank from one buffer are all its beginning; those from places of their own differ.
  static Contents contents(const Site& site, const Options& options) {
    Contents contents;
    for (const Part& part : own_parts(site, options)) {
      const std::int64_t key = options.send_from == SendFrom::one_buffer ? 0 : part.number;
      (part.sent ? contents.sent : contents.received)
          .push_back({part.start * site.element_bytes, part.length, part.sent ? site.rank : part.peer, key});
    }
    return contents;
  }
  static std::vector<Part> own_parts(const Site& site, const Options& options) {
    return parts_of(options.list(site.ranks, site.elements), site.rank, options.send_from);
  }

  Options options;

  [[nodiscard]] void* place(void* array, const Part& part) const noexcept {
    return static_cast<std::byte*>(array) + part.start * site.element_bytes;
  }
};

struct StsAsync : SomeToSome {
  static constexpr Info info = named(
      common, "sts_async", "Random messages between random ranks: every receive is posted, then all is sent (STS).",
      "MPI_Irecv, MPI_Send, MPI_Waitall");
  std::vector<Part> receives;
  std::vector<Part> sends;
  std::vector<MPI_Request> requests;

  void open() {
    for (const Part& part : own_parts(site, options)) (part.sent ? sends : receives).push_back(part);
    requests.resize(receives.size());
  }
  void step() noexcept {
    MPI_Request* request = requests.data();
    for (const Part& part : receives) {
      MPI_Irecv(place(buffers.receive, part), part.length, site.type, part.peer, 0, site.comm, request++);
    }
    for (const Part& part : sends) {
      MPI_Send(place(buffers.send, part), part.length, site.type, part.peer, 0, site.comm);
    }
    MPI_Waitall(static_cast<int>(receives.size()), requests.data(), MPI_STATUSES_IGNORE);
  }
};

/// Every rank goes through the one list of all: of the messages not yet over, the first has both its ranks there, so
/// that no rank waits for ever, whatever the send.
template <auto send>
struct StsInOrder : SomeToSome {
  std::vector<Part> parts;

  void open() { parts = own_parts(site, options); }
  void step() noexcept {
    for (const Part& part : parts) {
      if (part.sent) {
        send(place(buffers.send, part), part.length, site.type, part.peer, 0, site.comm);
      } else {
        MPI_Recv(place(buffers.receive, part), part.length, site.type, part.peer, 0, site.comm, MPI_STATUS_IGNORE);
      }
    }
  }
};

struct StsSync : StsInOrder<MPI_Send> {
  static constexpr Info info =
      named(common, "sts_sync", "As sts_async, one message after another in the order of the list (STS).",
            "MPI_Send, MPI_Recv");
};

using SomeToSomes = OperationList<StsAsync, StsSync>;

}  // namespace groma
