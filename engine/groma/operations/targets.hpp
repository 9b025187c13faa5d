// Every rank exchanges with several others at once: message rate with targets, and what a node gets through (seed 001).
#pragma once

#include <vector>

#include "groma/info.hpp"

namespace groma {

struct NamedSource {
  static int of(int source) noexcept { return source; }
};
struct AnySource {
  static int of(int) noexcept { return MPI_ANY_SOURCE; }
};

template <class Source>
struct TargetsBy {
  static constexpr Info describe(std::string_view name, std::string_view summary, std::string_view calls,
                                 Result result) {
    return {.name = name,
            .summary = summary,
            .calls = calls,
            .family = Family::point_to_point,
            .parties = Parties::targets,
            .min_ranks = 2,
            .send = Size::message,
            .receive = Size::targets,
            .result = result,
            .time = "one window to and from every target, until the slowest rank is done",
            .bandwidth = "sent plus received by all ranks together",
            .pattern = "all",
            .sync = "dissemination"};
  }
  static constexpr std::int64_t bytes_moved(const Shape& shape) { return 2 * messages(shape) * shape.bytes; }
  static constexpr std::int64_t messages(const Shape& shape) { return shape.ranks * shape.window * shape.targets; }

  Site site;
  Buffers buffers;
  std::vector<MPI_Request> requests;
  void open() { requests.resize(2 * static_cast<std::size_t>(site.window) * site.targets.size()); }
  void step() noexcept {
    int made = 0;
    for (int i = 0; i < site.window; ++i) {
      for (const int source : site.sources) {
        MPI_Irecv(buffers.slot(site, made), site.count, site.type, Source::of(source), 0, site.comm, &requests[made]);
        ++made;
      }
    }
    for (int i = 0; i < site.window; ++i) {
      for (const int target : site.targets) {
        MPI_Isend(buffers.send, site.count, site.type, target, 0, site.comm, &requests[made++]);
      }
    }
    MPI_Waitall(made, requests.data(), MPI_STATUSES_IGNORE);
  }
};

struct Targets : TargetsBy<NamedSource> {
  static constexpr Info info =
      describe("targets", "Every rank receives a window from each of its targets and sends one to each.",
               "MPI_Irecv, MPI_Isend, MPI_Waitall", Result::from_targets);
};
struct TargetsAnySource : TargetsBy<AnySource> {
  static constexpr Info info =
      describe("targets_any_source", "As targets, with receives from any source.",
               "MPI_Irecv with MPI_ANY_SOURCE, MPI_Isend, MPI_Waitall", Result::from_any_target);
};

}  // namespace groma
