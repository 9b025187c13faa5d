// The message passing of a domain decomposition: few, unequal messages between ranks drawn at random (STS, seed 000).
// `bytes` is the longest message; the list of messages follows from map_messages, map_sides and map_seed. All messages
// of a rank are sent from one buffer, as the seed's program does, or each from a place of its own: map_send_buffer.
// Each is received in a place of its own, since receives that are pending together must not overlap (MPI-4.1, 3.7.2).
#pragma once

#include <vector>

#include "groma/info.hpp"
#include "groma/patterns/transfers.hpp"

namespace groma {

/// What the two styles have in common.
struct SomeToSome {
  static constexpr Info describe(std::string_view name, std::string_view summary, std::string_view calls) {
    return {.name = name,
            .summary = summary,
            .calls = calls,
            .family = Family::point_to_point,
            .min_ranks = 2,
            .send = Size::transfers,
            .receive = Size::transfers,
            .result = Result::from_sources,
            .time = "one pass: every message of the list",
            .bandwidth = "all messages of the list over time, all ranks together",
            .sync = "dissemination",
            .bytes = "262144"};
  }
  static std::int64_t bytes_moved(const Shape& shape) {
    return total_length(draw_transfers(shape.transfers)) * shape.element_bytes;
  }
  static std::int64_t messages(const Shape& shape) {
    return static_cast<std::int64_t>(draw_transfers(shape.transfers).size());
  }

  Site site;
  Buffers buffers;

  [[nodiscard]] void* place(void* array, const Part& part) const noexcept {
    return static_cast<std::byte*>(array) + part.start * site.element_bytes;
  }
};

struct StsAsync : SomeToSome {
  static constexpr Info info =
      describe("sts_async", "Random messages between random ranks: every receive is posted, then all is sent (STS).",
               "MPI_Irecv, MPI_Send, MPI_Waitall");
  std::vector<Part> receives;
  std::vector<Part> sends;
  std::vector<MPI_Request> requests;

  void open() {
    for (const Part& part : parts_of(site.transfers, site.rank, site.send_from))
      (part.sent ? sends : receives).push_back(part);
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

  void open() { parts = parts_of(site.transfers, site.rank, site.send_from); }
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
  static constexpr Info info = describe(
      "sts_sync", "As sts_async, one message after another in the order of the list (STS).", "MPI_Send, MPI_Recv");
};

}  // namespace groma
