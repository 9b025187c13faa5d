// Every rank exchanges with several others at once: message rate with targets, and what a node gets through (ALCF).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "groma/errors.hpp"
#include "groma/info.hpp"
#include "groma/operations/shared_parameters.hpp"
#include "groma/patterns/ring.hpp"

namespace groma {

struct TargetOptions {
  int window = 1;
  int targets = 1;

  static constexpr auto table() {
    return std::array{option<&TargetOptions::window>(window_parameter),
                      option<&TargetOptions::targets>(parameter::count(
                          "targets", "1", "ranks", {1, 1024}, "partners that a rank sends to and receives from"))};
  }
};

struct NamedSource {
  static int of(int source) noexcept { return source; }
};
struct AnySource {
  static int of(int) noexcept { return MPI_ANY_SOURCE; }
};

template <class Source>
struct TargetsBy : Placed {
  using Options = TargetOptions;
  static constexpr Info common(Result result, std::string_view validation) {
    return {.family = Family::point_to_point,
            .parties = Parties::rings,
            .min_ranks = 2,
            .send = Size::message,
            .receive = Size::stated,
            .result = result,
            .time = "one window to and from every target, until the slowest rank is done",
            .bandwidth = "sent plus received by all ranks together",
            .pattern = "all",
            .sync = "dissemination",
            .validation = validation};
  }
  static constexpr std::int64_t bytes_moved(const Shape& shape, const Options& options) {
    return 2 * messages(shape, options) * shape.bytes;
  }
  static constexpr std::int64_t messages(const Shape& shape, const Options& options) {
    return shape.ranks * options.window * options.targets;
  }
  static constexpr Memory memory(const Shape& shape, const Options& options) {
    return {.send_bytes = shape.bytes, .receive_bytes = std::int64_t{options.window} * options.targets * shape.bytes};
  }
  static Partners partners(const Site& site, const Options& options) {
    return partners_of(site.rank, site.ring, options.targets);
  }
  static Contents contents(const Site& site, const Options& options);
  static void check(const Request& request, const Options& options);

  Options options;
  std::vector<int> targets;  ///< whom to send to
  std::vector<int> sources;  ///< and whom to receive from, as many
  std::vector<MPI_Request> requests;

  void open() {
    Partners own = partners(site, options);
    targets = std::move(own.targets);
    sources = std::move(own.sources);
    requests.resize(2 * static_cast<std::size_t>(options.window) * targets.size());
  }
  void step() noexcept {
    int made = 0;
    for (int i = 0; i < options.window; ++i) {
      for (const int source : sources) {
        MPI_Irecv(buffers.slot(site, made), site.count, site.type, Source::of(source), 0, site.comm, &requests[made]);
        ++made;
      }
    }
    for (int i = 0; i < options.window; ++i) {
      for (const int target : targets) {
        MPI_Isend(buffers.send, site.count, site.type, target, 0, site.comm, &requests[made++]);
      }
    }
    MPI_Waitall(made, requests.data(), MPI_STATUSES_IGNORE);
  }
};

/// A message from every source, in their order, once for every message of the window.
template <class Source>
Contents TargetsBy<Source>::contents(const Site& site, const Options& options) {
  Contents contents;
  contents.sent.push_back({.elements = site.elements, .from = site.rank});
  for (const int source : partners(site, options).sources) {
    contents.received.push_back({.start_bytes = contents.round_bytes, .elements = site.elements, .from = source});
    contents.round_bytes += site.message_bytes;
  }
  contents.rounds = options.window;
  return contents;
}

template <class Source>
void TargetsBy<Source>::check(const Request& request, const Options& options) {
  const std::string pattern(request.pattern);
  const bool rings = pattern == "intranode" || pattern == "internode" || pattern == "bisection";
  if (rings && request.communicator != "copy" && request.communicator != "world") {
    throw InputError("communicator=" + std::string(request.communicator) + " of " + std::string(request.operation) +
                     " would cut the rings of pattern=" + pattern + "; use communicator=copy");
  }
  if (options.targets < request.ring) return;
  const bool by_node = request.ranks_per_node > 0 && (pattern == "intranode" || pattern == "all");
  const std::string cause = by_node ? " with ranks_per_node=" + std::to_string(request.ranks_per_node) : "";
  throw UnfitError("targets=" + std::to_string(options.targets) + " of " + std::string(request.operation) +
                   " with pattern=" + pattern + " needs rings of more ranks than the " + std::to_string(request.ring) +
                   " there are" + cause + "; use targets=" + std::to_string(request.ring - 1) +
                   " or fewer, or more ranks");
}

struct Targets : TargetsBy<NamedSource> {
  static constexpr Info info =
      named(common(Result::stated, "every element received is the one that this target sent"), "targets",
            "Every rank receives a window from each of its targets and sends one to each.",
            "MPI_Irecv, MPI_Isend, MPI_Waitall");
};
struct TargetsAnySource : TargetsBy<AnySource> {
  static constexpr Info info =
      named(common(Result::stated_any_order,
                   "every message received is one that a target sent, and together they are all of them"),
            "targets_any_source", "As targets, with receives from any source.",
            "MPI_Irecv with MPI_ANY_SOURCE, MPI_Isend, MPI_Waitall");
};

using ManyTargets = OperationList<Targets, TargetsAnySource>;

}  // namespace groma
