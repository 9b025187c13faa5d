// A master hands items to whichever worker answers: SKaMPI's master-worker patterns (Altix paper). `window` items a
// worker on the average; the master is rank 0.
#pragma once

#include <array>
#include <vector>

#include "groma/info.hpp"
#include "groma/operations/shared_parameters.hpp"

namespace groma {

struct MasterOptions {
  int window = 1;
  static constexpr auto table() { return std::array{option<&MasterOptions::window>(window_parameter)}; }
};

/// What the ways of finding the next answer have in common.
struct MasterWorker : Placed {
  using Options = MasterOptions;
  static constexpr Info common{.family = Family::point_to_point,
                               .min_ranks = 2,
                               .send = Size::message,
                               .receive = Size::per_rank,
                               .result = Result::from_others,
                               .holders = Holders::root,
                               .timers = Timers::first,
                               .time = "until every item was handed out and answered",
                               .bandwidth = "items and answers over time, both directions, at the master",
                               .timing = "call",
                               .pattern = "all",
                               .sync = "dissemination"};
  static constexpr std::int64_t items(const Shape& shape, const Options& options) {
    return (shape.ranks - 1) * options.window;
  }
  static constexpr std::int64_t bytes_moved(const Shape& shape, const Options& options) {
    return 2 * items(shape, options) * shape.bytes;
  }
  static constexpr std::int64_t messages(const Shape& shape, const Options& options) {
    return 2 * items(shape, options);
  }

  static constexpr int item = 0;
  static constexpr int no_more = 1;

  Options options;
  std::vector<MPI_Request> requests;
  std::vector<int> ready;

  void open() {
    requests.assign(static_cast<std::size_t>(site.ranks), MPI_REQUEST_NULL);
    ready.resize(static_cast<std::size_t>(site.ranks));
  }

  void send(int worker, int tag) noexcept {
    MPI_Send(buffers.send, tag == item ? site.count : 0, site.type, worker, tag, site.comm);
  }
  void expect(int worker) noexcept {
    MPI_Irecv(buffers.slot(site, worker), site.count, site.type, worker, item, site.comm,
              &requests[static_cast<std::size_t>(worker)]);
  }
  void work() noexcept {
    while (true) {
      MPI_Status status;
      MPI_Recv(buffers.receive, site.count, site.type, 0, MPI_ANY_TAG, site.comm, &status);
      if (status.MPI_TAG == no_more) return;
      send(0, item);
    }
  }
  /// The next item to a worker that has answered, or that there are no more; whether it is done.
  bool serve(int worker, int& left) noexcept {
    if (left == 0) {
      send(worker, no_more);
      return true;
    }
    expect(worker);
    send(worker, item);
    --left;
    return false;
  }
  /// One item to every worker; the number still to be handed out.
  int hand_out_first() noexcept {
    for (int worker = 1; worker < site.ranks; ++worker) send(worker, item);
    return (site.ranks - 1) * (options.window - 1);
  }
};

struct MasterWaitsome : MasterWorker {
  static constexpr Info info =
      named(common, "master_waitsome", "A master serves whichever workers have answered, several at a time.",
            "MPI_Send, MPI_Irecv, MPI_Waitsome");
  void step() noexcept {
    if (site.rank != 0) return work();
    for (int worker = 1; worker < site.ranks; ++worker) expect(worker);
    int left = hand_out_first();
    for (int active = site.ranks - 1; active > 0;) {
      int answers = 0;
      MPI_Waitsome(site.ranks, requests.data(), &answers, ready.data(), MPI_STATUSES_IGNORE);
      for (int i = 0; i < answers; ++i) {
        if (serve(ready[static_cast<std::size_t>(i)], left)) --active;
      }
    }
  }
};

struct MasterWaitany : MasterWorker {
  static constexpr Info info =
      named(common, "master_waitany", "A master serves the first worker that has answered, one at a time.",
            "MPI_Send, MPI_Irecv, MPI_Waitany");
  void step() noexcept {
    if (site.rank != 0) return work();
    for (int worker = 1; worker < site.ranks; ++worker) expect(worker);
    int left = hand_out_first();
    for (int active = site.ranks - 1; active > 0;) {
      int worker = 0;
      MPI_Waitany(site.ranks, requests.data(), &worker, MPI_STATUS_IGNORE);
      if (serve(worker, left)) --active;
    }
  }
};

struct MasterAnySource : MasterWorker {
  static constexpr Info info =
      named(common, "master_any_source", "A master receives from any source and serves that worker.",
            "MPI_Send, MPI_Probe, MPI_Recv with MPI_ANY_SOURCE");
  void step() noexcept {
    if (site.rank != 0) return work();
    int left = hand_out_first();
    for (int active = site.ranks - 1; active > 0;) {
      MPI_Status status;
      MPI_Probe(MPI_ANY_SOURCE, item, site.comm, &status);
      const int worker = status.MPI_SOURCE;
      MPI_Recv(buffers.slot(site, worker), site.count, site.type, worker, item, site.comm, MPI_STATUS_IGNORE);
      if (left > 0) {
        send(worker, item);
        --left;
      } else {
        send(worker, no_more);
        --active;
      }
    }
  }
};

using MasterWorkers = OperationList<MasterWaitsome, MasterWaitany, MasterAnySource>;

}  // namespace groma
