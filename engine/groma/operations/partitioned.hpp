// A message in partitions, each sent when it is ready: a message to the partner and one back, both made once.
#pragma once

#include <array>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "groma/errors.hpp"
#include "groma/mpi/missing.hpp"
#include "groma/operations/placed_requests.hpp"
#include "groma/operations/traffic.hpp"

namespace groma {

struct PartitionOptions {
  int partitions = 1;
  static constexpr auto table() {
    return std::array{option<&PartitionOptions::partitions>(
        parameter::count("partitions", "4", "", {1, 65536}, "equal parts of a message, each ready by itself"))};
  }
};

/// What ping-pongs of a message in parts have in common.
struct InPartitions : MessagesCounted<2> {
  using Options = PartitionOptions;
  static constexpr Info common = between_partners({.timers = Timers::first,
                                                   .in_parts = true,
                                                   .divisor = 2,
                                                   .time = "one way: half the round trip",
                                                   .bandwidth = "message size over one-way time, one direction at a "
                                                                "time"});
  static void check(const Request& request, const Options& options) {
    if (request.elements % options.partitions == 0) return;
    throw InputError("bytes=" + std::to_string(request.bytes) + " of " + std::string(request.operation) + " are " +
                     std::to_string(request.elements) + " elements, which " + std::to_string(options.partitions) +
                     " partitions do not divide; use another number of either");
  }
  Options options;
  [[nodiscard]] int part_elements() const noexcept { return site.count / options.partitions; }
};

// Which calls say that partitions are ready, all of them.
struct InOrder {
  static void ready(int parts, int*, MPI_Request request) noexcept {
    for (int part = 0; part < parts; ++part) MPI_Pready(part, request);
  }
};
struct Backwards {
  static void ready(int parts, int*, MPI_Request request) noexcept {
    for (int part = parts - 1; part >= 0; --part) MPI_Pready(part, request);
  }
};
struct ByRange {
  static void ready(int parts, int*, MPI_Request request) noexcept { MPI_Pready_range(0, parts - 1, request); }
};
struct ByList {
  static void ready(int parts, int* all, MPI_Request request) noexcept { MPI_Pready_list(parts, all, request); }
};

// How a message is waited for.
struct Waited {
  static void wait(int, MPI_Request* request) noexcept { MPI_Wait(request, MPI_STATUS_IGNORE); }
};
struct Polled {
  static void wait(int parts, MPI_Request* request) noexcept {
    for (int part = 0; part < parts; ++part) {
      for (int there = 0; there == 0;) MPI_Parrived(*request, part, &there);
    }
    Waited::wait(parts, request);
  }
};

/// With its first partitioned message Open MPI 5.0 waits for all ranks of the launch: those that stay out never come.
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION == 5
inline constexpr bool all_ranks_take_part = true;
#else
inline constexpr bool all_ranks_take_part = false;
#endif
inline void require_all_ranks(const Request& request) {
  int started = 0;
  MPI_Initialized(&started);
  if (!all_ranks_take_part || started == 0) return;  // only a launch knows its ranks
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (request.ranks >= ranks) return;
  throw UnfitError(std::string(request.operation) + " of " + std::to_string(request.ranks) + " of the " +
                   std::to_string(ranks) +
                   " ranks hangs on Open MPI 5.0, which waits for the others; launch as many as take part, or use "
                   "pattern=halves");
}

template <class Order, class Arrival = Waited>
struct PartitionedBy : InPartitions {
  static void check(const Request& request, const Options& options) {
    InPartitions::check(request, options);
    require_all_ranks(request);
  }
  static constexpr std::string_view lacks = has_mpi_4 ? "" : "partitioned messages (MPI 4.0)";
  PlacedRequests kept;
  MPI_Request* sent = nullptr;
  MPI_Request* received = nullptr;
  std::vector<int> numbers;

  void open() {
    numbers.resize(static_cast<std::size_t>(options.partitions));
    std::iota(numbers.begin(), numbers.end(), 0);
  }
  void bind() {
    sent = kept.at(buffers, [this] { return made(); });
    received = sent + 1;
  }
  void close() { kept.free(); }
  PlacedRequests::Requests made() {
    PlacedRequests::Requests both(2, MPI_REQUEST_NULL);
    MPI_Psend_init(buffers.send, options.partitions, part_elements(), site.type, site.partner, 0, site.comm,
                   MPI_INFO_NULL, &both[0]);
    MPI_Precv_init(buffers.receive, options.partitions, part_elements(), site.type, site.partner, 0, site.comm,
                   MPI_INFO_NULL, &both[1]);
    return both;
  }
  void send() noexcept {
    MPI_Start(sent);
    Order::ready(options.partitions, numbers.data(), *sent);
    MPI_Wait(sent, MPI_STATUS_IGNORE);
  }
  void step() noexcept {
    MPI_Start(received);
    if (site.first) send();
    Arrival::wait(options.partitions, received);
    if (!site.first) send();
  }
};

struct PartitionedInOrder : PartitionedBy<InOrder> {
  static constexpr Info info =
      named(common, "partitioned/in_order", "A message in partitions that are ready one after another, and one back.",
            "MPI_Psend_init, MPI_Precv_init, MPI_Start, MPI_Pready, MPI_Wait");
};
struct PartitionedBackwards : PartitionedBy<Backwards> {
  static constexpr Info info = named(common, "partitioned/backwards", "As partitioned/in_order, the last one first.",
                                     PartitionedInOrder::info.calls);
};
struct PartitionedByRange : PartitionedBy<ByRange> {
  static constexpr Info info =
      named(common, "partitioned/range", "As partitioned/in_order, all partitions ready by one call.",
            "MPI_Psend_init, MPI_Precv_init, MPI_Start, MPI_Pready_range, MPI_Wait");
};
struct PartitionedByList : PartitionedBy<ByList> {
  static constexpr Info info = named(common, "partitioned/list", "As partitioned/range, the partitions in a list.",
                                     "MPI_Psend_init, MPI_Precv_init, MPI_Start, MPI_Pready_list, MPI_Wait");
};
struct PartitionedPolled : PartitionedBy<InOrder, Polled> {
  static constexpr Info info =
      named(common, "partitioned/polled", "As partitioned/in_order, each partition asked for until it is there.",
            "MPI_Psend_init, MPI_Precv_init, MPI_Start, MPI_Pready, MPI_Parrived, MPI_Wait");
};

/// The same parts as messages of their own.
struct PartsAsMessages : InPartitions {
  static constexpr Info info =
      named(common, "partitioned/isends", "As partitioned/in_order, each part a message of its own.",
            "MPI_Isend, MPI_Irecv, MPI_Waitall");
  std::vector<MPI_Request> sent;
  std::vector<MPI_Request> received;

  void open() {
    sent.resize(static_cast<std::size_t>(options.partitions));
    received.resize(sent.size());
  }
  [[nodiscard]] void* part_of(void* array, int part) const noexcept {
    return static_cast<std::byte*>(array) + std::int64_t{part} * part_elements() * site.element_bytes;
  }
  void send() noexcept {
    for (int part = 0; part < options.partitions; ++part) {
      MPI_Isend(part_of(buffers.send, part), part_elements(), site.type, site.partner, 0, site.comm, &sent[part]);
    }
    MPI_Waitall(options.partitions, sent.data(), MPI_STATUSES_IGNORE);
  }
  void step() noexcept {
    for (int part = 0; part < options.partitions; ++part) {
      MPI_Irecv(part_of(buffers.receive, part), part_elements(), site.type, site.partner, 0, site.comm,
                &received[part]);
    }
    if (site.first) send();
    MPI_Waitall(options.partitions, received.data(), MPI_STATUSES_IGNORE);
    if (!site.first) send();
  }
};

using Partitions = OperationList<PartitionedInOrder, PartitionedBackwards, PartitionedByRange, PartitionedByList,
                                 PartitionedPolled, PartsAsMessages>;

}  // namespace groma
