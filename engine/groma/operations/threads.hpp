// Operations by all threads of a rank at once: each thread has messages, arrays and a place among the ranks of its own,
// and does the whole operation by itself.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "groma/machine/children.hpp"
#include "groma/machine/team.hpp"
#include "groma/mpi/simulated.hpp"
#include "groma/operations/exchanges.hpp"
#include "groma/operations/forms.hpp"
#include "groma/operations/partitioned.hpp"
#include "groma/operations/point_to_point.hpp"
#include "groma/operations/reductions.hpp"
#include "groma/operations/rooted.hpp"
#include "groma/operations/shared_parameters.hpp"
#include "groma/operations/streaming.hpp"
#include "groma/timed/entry.hpp"

namespace groma {

/// What a thread other than the first does in one turn. A test reads its code as that of the timed loops.
template <class Operation>
[[gnu::noinline, gnu::flatten]] void thread_loop(void* erased, int thread) noexcept {
  static_cast<Operation*>(erased)->part(thread);
}

inline constexpr std::string_view no_threads = "threads and processes of its own, which a simulation has not";

enum class Channel { communicator, tag };
inline constexpr Choice channels[] = {
    {"communicator", "each thread of a rank has a communicator of its own"},
    {"tag", "all threads of a rank have one communicator, and each a tag of its own, as osu_latency_mt"}};

/// The options of an operation, and how many threads do it.
template <class Own>
struct ThreadOptions : Own {
  int threads = 1;
  static constexpr auto own_table() { return std::array{option<&ThreadOptions::threads>(threads_parameter)}; }
  static constexpr auto table() { return joined(Own::table(), own_table()); }

 protected:
  template <std::size_t first, std::size_t second>
  static constexpr auto joined(const std::array<Option, first>& one, const std::array<Option, second>& other) {
    return [&]<std::size_t... I, std::size_t... J>(std::index_sequence<I...>, std::index_sequence<J...>) {
      return std::array<Option, first + second>{one[I]..., other[J]...};
    }
    (std::make_index_sequence<first>(), std::make_index_sequence<second>());
  }
};
/// And what tells the messages of threads apart.
template <class Own>
struct TaggedThreadOptions : ThreadOptions<Own> {
  Channel channel = Channel::communicator;
  static constexpr auto table() {
    return ThreadOptions<Own>::joined(
        ThreadOptions<Own>::table(),
        std::array{option<&TaggedThreadOptions::channel>(parameter::choice(
            "thread_channel", "communicator", channels, "what tells the messages of a rank's threads apart"))});
  }
};

/// True of operations whose messages have a tag that can be set.
template <class Each>
inline constexpr bool has_tag = requires(Each one) {
  one.tag;
};

template <class Each>
struct Threaded : Placed {
  using Options =
      std::conditional_t<has_tag<Each>, TaggedThreadOptions<OptionsOf<Each>>, ThreadOptions<OptionsOf<Each>>>;
  static constexpr Text name{"threads/", Each::info.name};
  static constexpr Text summary{"As ", Each::info.name,
                                ", by every thread of a rank at once, each with its own messages."};
  static constexpr Text time{Each::info.time, ", of every thread at once"};
  static constexpr Text bandwidth{Each::info.bandwidth, Each::info.bandwidth.empty() ? "" : ", of all threads"};
  static constexpr std::string_view lacks = simulated ? no_threads : "";
  static constexpr Info info = [] {
    Info own = named(Each::info, name, summary, Each::info.calls);
    own.time = time;
    own.bandwidth = bandwidth;
    own.bus = Bus::undefined;
    own.touches = false;
    own.timing = "block";
    if (own.sharing != Sharing::single) own.sharing = Sharing::refused;
    return own;
  }();
  static Memory memory(const Shape& shape, const Options& options) { return memory_of<Each>(shape, &options); }
  static Contents contents(const Site& site, const Options& options) { return contents_of<Each>(site, &options); }
  static std::int64_t bytes_moved(const Shape& shape, const Options& options) {
    return options.threads * bytes_moved_by<Each>(shape, &options);
  }
  static std::int64_t messages(const Shape& shape, const Options& options) {
    return options.threads * messages_of<Each>(shape, &options);
  }

  Options options;
  Team team;
  std::int64_t repetitions = 0;  ///< of every thread in this turn
  const int* roots = nullptr;
  struct alignas(128) Lane {
    Each each;
  };
  std::unique_ptr<Lane[]> lanes;

  void open() {
    lanes = std::make_unique<Lane[]>(static_cast<std::size_t>(options.threads));
    for (int thread = 0; thread < options.threads; ++thread) open_lane(thread);
    team.start(site.cpus, &thread_loop<Threaded>, this);
  }
  void open_lane(int thread) {
    Each& own = lanes[static_cast<std::size_t>(thread)].each;
    own.site = site;
    if constexpr (requires { own.options; }) own.options = options;
    bool by_tag = false;
    if constexpr (has_tag<Each>) {
      by_tag = options.channel == Channel::tag;
      own.tag = by_tag ? thread : 0;
    }
    if (!by_tag) MPI_Comm_dup(site.comm, &own.site.comm);
    if constexpr (requires { own.open(); }) own.open();
  }
  void bind() {
    const Memory one =
        memory({.bytes = site.message_bytes, .ranks = site.ranks, .element_bytes = site.element_bytes}, options);
    for (int thread = 0; thread < options.threads; ++thread) {
      Each& own = lanes[static_cast<std::size_t>(thread)].each;
      own.buffers.send = place(buffers.send, thread * thread_stride(one.send_bytes));
      own.buffers.receive = place(buffers.receive, thread * thread_stride(one.receive_bytes));
      own.buffers.root_send = own.buffers.send;
      own.buffers.root_receive = own.buffers.receive;
    }
  }
  void close() {
    team.stop();
    for (int thread = 0; thread < options.threads; ++thread) {
      Each& own = lanes[static_cast<std::size_t>(thread)].each;
      if (own.site.comm != site.comm) MPI_Comm_free(&own.site.comm);
    }
  }
  static void* place(void* array, std::int64_t offset) { return static_cast<std::byte*>(array) + offset; }

  void part(int thread) noexcept {
    Each& own = lanes[static_cast<std::size_t>(thread)].each;
    for (std::int64_t i = 0; i < repetitions; ++i) {
      if constexpr (Each::info.rooted) own.site.root = roots[i];
      fence();
      own.step();
    }
  }
  /// A block of all threads: from their common start to the end of the last.
  void steps(std::int64_t count, const int* of_each) noexcept {
    repetitions = count;
    roots = of_each;
    team.release();
    part(0);
    team.join();
  }
  void step() noexcept { steps(1, &site.root); }
};

/// A message to the partner and one back, with a tag.
struct TaggedPingPong : MessagesCounted<2> {
  static constexpr Info info = PingPong::info;
  int tag = 0;
  void send() noexcept { MPI_Send(buffers.send, site.count, site.type, site.partner, tag, site.comm); }
  void receive() noexcept {
    MPI_Recv(buffers.receive, site.count, site.type, site.partner, tag, site.comm, MPI_STATUS_IGNORE);
  }
  void step() noexcept {
    if (site.first) {
      send();
      receive();
    } else {
      receive();
      send();
    }
  }
};

/// A window of messages to the partner, and its acknowledgement, with a tag.
struct TaggedMessageRate : MessageRate {
  int tag = 0;
  void step() noexcept {
    if (site.first) {
      for (int i = 0; i < options.window; ++i) {
        MPI_Isend(buffers.send, site.count, site.type, site.partner, tag, site.comm, &requests[i]);
      }
      MPI_Waitall(options.window, requests.data(), MPI_STATUSES_IGNORE);
      MPI_Recv(nullptr, 0, MPI_BYTE, site.partner, tag, site.comm, MPI_STATUS_IGNORE);
    } else {
      for (int i = 0; i < options.window; ++i) {
        MPI_Irecv(arrival(i), site.count, site.type, site.partner, tag, site.comm, &requests[i]);
      }
      MPI_Waitall(options.window, requests.data(), MPI_STATUSES_IGNORE);
      MPI_Send(nullptr, 0, MPI_BYTE, site.partner, tag, site.comm);
    }
  }
};

/// A message in partitions, of which each thread makes its share ready.
struct PartitionedByThreads : PartitionedBy<InOrder> {
  using Options = ThreadOptions<PartitionOptions>;
  static constexpr Info info = [] {
    Info own = named(common, "partitioned/threads",
                     "As partitioned/in_order, each thread of the sender making its share of the partitions ready.",
                     PartitionedInOrder::info.calls);
    own.threads_share = true;
    return own;
  }();
  static constexpr std::string_view lacks = simulated ? no_threads : PartitionedBy::lacks;

  Options options;
  Team team;

  void open() {
    InPartitions::options = options;
    PartitionedBy::open();
    team.start(site.cpus, &thread_loop<PartitionedByThreads>, this);
  }
  void close() {
    team.stop();
    PartitionedBy::close();
  }
  void part(int thread) noexcept {
    const int end = (thread + 1) * options.partitions / options.threads;
    for (int own = thread * options.partitions / options.threads; own < end; ++own) MPI_Pready(own, *sent);
  }
  void send() noexcept {
    MPI_Start(sent);
    team.release();
    part(0);
    team.join();
    MPI_Wait(sent, MPI_STATUS_IGNORE);
  }
  void step() noexcept {
    MPI_Start(received);
    if (site.first) send();
    MPI_Wait(received, MPI_STATUS_IGNORE);
    if (!site.first) send();
  }
};

struct ChildOptions {
  int children = 1;
  static constexpr auto table() {
    return std::array{option<&ChildOptions::children>(
        parameter::count("children", "1", "", {1, 1024}, "processes that every rank forks, and that sleep"))};
  }
};

/// As osu_latency_mp: whether a rank that has forked still communicates, and as fast.
struct PingPongForked : PingPong {
  using Options = ChildOptions;
  static constexpr Info info = [] {
    Info own = named(common, "pingpong_forked", "As pingpong, of ranks that have forked children, which sleep.",
                     PingPong::info.calls);
    own.touches = false;
    return own;
  }();
  static constexpr std::string_view lacks = simulated ? no_threads : "";
  Options options;
  Children children;
  void open() { children.fork(options.children); }
};

using Threads =
    OperationList<PingPongForked, PartitionedByThreads, Threaded<TaggedPingPong>, Threaded<PingPing>,
                  Threaded<SendRecv>, Threaded<Exchange>, Threaded<TaggedMessageRate>, Threaded<BiMessageRate>,
                  Threaded<Blocking<Barrier>>, Threaded<Blocking<Bcast>>, Threaded<Blocking<Reduce>>,
                  Threaded<Blocking<Allreduce>>, Threaded<Blocking<Allgather>>, Threaded<Blocking<Alltoall>>>;

}  // namespace groma
