// Many ranks send to one, or one to many: the first rank of the group and all others.
#pragma once

#include <array>
#include <vector>

#include "groma/info.hpp"
#include "groma/operations/shared_parameters.hpp"

namespace groma {

struct FanOptions {
  int window = 64;

  static constexpr auto table() { return std::array{option<&FanOptions::window>(window_parameter)}; }
};

/// What the fans have in common.
struct Fan : Placed {
  using Options = FanOptions;
  static constexpr int acknowledgement = 1;
  static constexpr Info common(Holders holders, std::string_view validation, std::string_view time) {
    return {.family = Family::point_to_point,
            .min_ranks = 2,
            .send = Size::message,
            .receive = Size::stated,
            .result = Result::stated,
            .holders = holders,
            .time = time,
            .bandwidth = "windows of all other ranks over time",
            .pattern = "all",
            .sync = "dissemination",
            .validation = validation};
  }
  static constexpr std::int64_t messages(const Shape& shape, const Options& options) {
    return (shape.ranks - 1) * options.window;
  }
  static constexpr std::int64_t bytes_moved(const Shape& shape, const Options& options) {
    return messages(shape, options) * shape.bytes;
  }

  Options options;
  std::vector<MPI_Request> requests;

  void open() { requests.resize(static_cast<std::size_t>(options.window) * static_cast<std::size_t>(site.ranks)); }
  void send_window(int to) noexcept {
    for (int i = 0; i < options.window; ++i) {
      MPI_Isend(buffers.send, site.count, site.type, to, 0, site.comm, &requests[i]);
    }
    MPI_Waitall(options.window, requests.data(), MPI_STATUSES_IGNORE);
  }
  /// The message of number `i` of a window has a place for every sender.
  void post_window(int from, int senders, MPI_Request* own) noexcept {
    for (int i = 0; i < options.window; ++i) {
      const int place = i * senders + (senders > 1 ? from - 1 : 0);
      MPI_Irecv(buffers.slot(site, place), site.count, site.type, from, 0, site.comm, &own[i]);
    }
  }
  void acknowledge(int to) noexcept { MPI_Send(nullptr, 0, MPI_BYTE, to, acknowledgement, site.comm); }
  void await_acknowledgement(int from) noexcept {
    MPI_Recv(nullptr, 0, MPI_BYTE, from, acknowledgement, site.comm, MPI_STATUS_IGNORE);
  }
};

/// Many to one.
struct Inward : Fan {
  static constexpr std::string_view whole = "every message is the one that its sender sent";
  static constexpr Memory memory(const Shape& shape, const Options& options) {
    return {.send_bytes = shape.bytes, .receive_bytes = messages(shape, options) * shape.bytes};
  }
  static Contents contents(const Site& site, const Options& options) {
    Contents contents{
        .sent = {{.elements = site.elements, .from = site.rank}}, .received = {}, .rounds = options.window};
    for (int from = 1; from < site.ranks; ++from) {
      contents.received.push_back({.start_bytes = contents.round_bytes, .elements = site.elements, .from = from});
      contents.round_bytes += site.message_bytes;
    }
    return contents;
  }
};

struct StreamsIn : Inward {
  static constexpr Info info = named(
      common(Holders::first, whole, "a window from every other rank and its acknowledgement, one rank after another"),
      "fan_in", "All ranks send the first a window, which it receives from one after another.",
      "MPI_Isend, MPI_Irecv, MPI_Waitall, MPI_Send, MPI_Recv");
  void step() noexcept {
    if (site.rank > 0) {
      send_window(0);
      await_acknowledgement(0);
      return;
    }
    for (int from = 1; from < site.ranks; ++from) {
      post_window(from, site.ranks - 1, requests.data());
      MPI_Waitall(options.window, requests.data(), MPI_STATUSES_IGNORE);
      acknowledge(from);
    }
  }
};

struct Incast : Inward {
  static constexpr Info info =
      named(common(Holders::first, whole, "a window from every other rank, all at once, and the acknowledgements"),
            "incast", "All ranks send the first a window at once.", StreamsIn::info.calls);
  void step() noexcept {
    if (site.rank > 0) {
      send_window(0);
      await_acknowledgement(0);
      return;
    }
    int posted = 0;
    for (int from = 1; from < site.ranks; ++from) {
      post_window(from, site.ranks - 1, &requests[posted]);
      posted += options.window;
    }
    MPI_Waitall(posted, requests.data(), MPI_STATUSES_IGNORE);
    for (int from = 1; from < site.ranks; ++from) acknowledge(from);
  }
};

struct StreamsOut : Fan {
  static constexpr Info info =
      named(common(Holders::not_first, "every message is the one that the first rank sent",
                   "a window to every other rank and its acknowledgement, one rank after another"),
            "fan_out", "The first rank sends all others a window, one after another.", StreamsIn::info.calls);
  static constexpr Memory memory(const Shape& shape, const Options& options) {
    return {.send_bytes = shape.bytes, .receive_bytes = options.window * shape.bytes};
  }
  static Contents contents(const Site& site, const Options& options) {
    return {.sent = {{.elements = site.elements, .from = site.rank}},
            .received = {{.elements = site.elements, .from = 0}},
            .rounds = options.window,
            .round_bytes = site.message_bytes};
  }
  void step() noexcept {
    if (site.rank > 0) {
      post_window(0, 1, requests.data());
      MPI_Waitall(options.window, requests.data(), MPI_STATUSES_IGNORE);
      acknowledge(0);
      return;
    }
    for (int to = 1; to < site.ranks; ++to) {
      send_window(to);
      await_acknowledgement(to);
    }
  }
};

using Fans = OperationList<StreamsIn, StreamsOut, Incast>;

}  // namespace groma
