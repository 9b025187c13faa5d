#include "groma/machine/handoff.hpp"

#include <sys/statvfs.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <string>

#include "groma/clock/clocks.hpp"
#include "groma/machine/limits.hpp"
#include "groma/machine/seats.hpp"

namespace groma {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t page_bytes = 4096;
constexpr std::int64_t chunk_bytes = 16'384;
constexpr std::int64_t ring_chunks = 16;
/// Below this a second rank's help costs more than it saves.
constexpr std::int64_t least_shared_bytes = 1024;

struct alignas(128) Line {
  std::atomic<std::int64_t> value{0};
};

/// What one of the two ranks tells the other. Counters only grow: nothing is set back between groups.
struct Flags {
  Line ready;     ///< messages, chunks and acknowledgements announced so far
  Line pushed;    ///< the last announcement whose first half this rank has copied to the other
  Line consumed;  ///< the last announcement of the other that this rank has taken
  Line trips;     ///< length of the next group; 0: no further one
};

void await(const Line& line, std::int64_t value) {
  while (line.value.load(std::memory_order_acquire) < value) {
  }
}

void move_bytes(std::byte* to, const std::byte* from, std::int64_t bytes) {
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
  asm volatile("" : : "r"(to) : "memory");
}

/// The shared memory of one rank: flags, ring of chunks, the message it sends, and where it receives.
struct Block {
  Flags* flags;
  std::byte* ring;
  std::byte* source;
  std::byte* target;

  static std::int64_t bytes(std::int64_t largest) {
    const std::int64_t rounded = (largest + page_bytes - 1) / page_bytes * page_bytes;
    return 2 * page_bytes + ring_chunks * chunk_bytes + 2 * (rounded + page_bytes);
  }
  Block(void* memory, std::int64_t largest) {
    auto space = static_cast<std::size_t>(bytes(largest));
    auto* start = static_cast<std::byte*>(std::align(page_bytes, space - page_bytes, memory, space));
    flags = reinterpret_cast<Flags*>(start);
    ring = start + page_bytes;
    source = ring + ring_chunks * chunk_bytes;
    // An odd number of lines beyond the source: equal page offsets would have loads wait for stores.
    target = source + (largest + page_bytes - 1) / page_bytes * page_bytes + page_bytes / 2 + 64;
  }
};

/// One rank's end of the pair.
struct End {
  Block mine;
  Block theirs;
  bool leader;
  std::int64_t sent = 0;
  std::int64_t taken = 0;

  void announce() { mine.flags->ready.value.store(++sent, std::memory_order_release); }
  void hear() { await(theirs.flags->ready, ++taken); }
  /// Both are here, and have taken everything.
  void meet() {
    if (leader) announce();
    hear();
    mine.flags->consumed.value.store(taken, std::memory_order_release);
    if (!leader) announce();
  }
};

struct OneCopy {
  static constexpr const char* name = "one_copy";
  static bool suits(std::int64_t) { return true; }
  static void send(End& end, std::int64_t) { end.announce(); }
  static void receive(End& end, std::int64_t bytes) {
    end.hear();
    move_bytes(end.mine.target, end.theirs.source, bytes);
  }
};

/// The sender copies the first half, the receiver the second.
struct HalfEach {
  static constexpr const char* name = "half_each";
  static bool suits(std::int64_t bytes) { return bytes >= least_shared_bytes; }
  static void send(End& end, std::int64_t bytes) {
    end.announce();
    move_bytes(end.theirs.target, end.mine.source, bytes / 2);
    end.mine.flags->pushed.value.store(end.sent, std::memory_order_release);
  }
  static void receive(End& end, std::int64_t bytes) {
    end.hear();
    move_bytes(end.mine.target + bytes / 2, end.theirs.source + bytes / 2, bytes - bytes / 2);
    await(end.theirs.flags->pushed, end.taken);
  }
};

/// In and out of a ring, a chunk at a time: the receiver copies one while the sender copies the next.
struct TwoCopies {
  static constexpr const char* name = "two_copies";
  static bool suits(std::int64_t) { return true; }
  static std::int64_t chunk(std::int64_t bytes) { return std::clamp(bytes / 4, page_bytes, chunk_bytes); }
  static std::byte* slot(const Block& block, std::int64_t number) {
    return block.ring + number % ring_chunks * chunk_bytes;
  }
  static void send(End& end, std::int64_t bytes) {
    for (std::int64_t at = 0; at < bytes; at += chunk(bytes)) {
      await(end.theirs.flags->consumed, end.sent + 1 - ring_chunks);
      move_bytes(slot(end.mine, end.sent + 1), end.mine.source + at, std::min(chunk(bytes), bytes - at));
      end.announce();
    }
  }
  static void receive(End& end, std::int64_t bytes) {
    for (std::int64_t at = 0; at < bytes; at += chunk(bytes)) {
      end.hear();
      move_bytes(end.mine.target + at, slot(end.theirs, end.taken), std::min(chunk(bytes), bytes - at));
      end.mine.flags->consumed.value.store(end.taken, std::memory_order_release);
    }
  }
};

template <class Way>
struct RoundTrip {
  static constexpr double messages = 2;
  static void run(End& end, std::int64_t bytes) {
    if (end.leader) Way::send(end, bytes);
    Way::receive(end, bytes);
    if (!end.leader) Way::send(end, bytes);
  }
};

/// Messages one behind the other; the acknowledgement is the next group's meeting, or the end of this one.
template <class Way>
struct Stream {
  static constexpr double messages = 1;
  static void run(End& end, std::int64_t bytes) { end.leader ? Way::send(end, bytes) : Way::receive(end, bytes); }
};

/// One group between two stamps on the leader; the last message has arrived where it ends.
template <class Motion>
double group_ns(End& end, std::int64_t bytes, std::int64_t trips) {
  end.meet();
  const std::int64_t start = Monotonic::now();
  for (std::int64_t trip = 0; trip < trips; ++trip) Motion::run(end, bytes);
  if (end.leader) {
    end.hear();
  } else {
    end.announce();
  }
  return static_cast<double>(Monotonic::now() - start) / (Motion::messages * static_cast<double>(trips));
}

/// The shortest group on the leader: what disturbs only lengthens. Groups are made for `budget_ns`, three at least.
template <class Motion>
double shortest_ns(End& end, std::int64_t bytes) {
  constexpr std::int64_t budget_ns = 500'000;
  constexpr double group_lasts_ns = 50'000;
  constexpr std::int64_t most_trips = 4096;
  Line& trips = (end.leader ? end.mine : end.theirs).flags->trips;
  double shortest = std::numeric_limits<double>::infinity();
  if (!end.leader) {
    for (end.meet(); trips.value.load() > 0; end.meet()) group_ns<Motion>(end, bytes, trips.value.load());
    end.meet();  // the leader sets no new length before this rank has seen that there is no further group
    return shortest;
  }
  const std::int64_t begin = Monotonic::now();
  std::int64_t next = bytes <= page_bytes ? 64 : 2;
  for (int group = 0; group < 4 || Monotonic::now() - begin < budget_ns; ++group) {
    trips.value.store(next);
    end.meet();
    const double ns = group_ns<Motion>(end, bytes, next);
    if (group > 0) shortest = std::min(shortest, ns);  // the first one warms up
    next = std::clamp(static_cast<std::int64_t>(group_lasts_ns / (ns * Motion::messages)), std::int64_t{2}, most_trips);
  }
  trips.value.store(0);
  end.meet();
  end.meet();
  return shortest;
}

template <class... Way>
Json row(End& end, std::int64_t bytes, const Way&...) {
  double one_way = std::numeric_limits<double>::infinity();
  double stream = one_way;
  Json ways = Json::object();
  const auto measure = [&]<class One>(One*) {
    if (!One::suits(bytes)) return;
    const double round_trip_ns = shortest_ns<RoundTrip<One>>(end, bytes);
    const double stream_ns = shortest_ns<Stream<One>>(end, bytes);
    one_way = std::min(one_way, round_trip_ns);
    stream = std::min({stream, stream_ns, round_trip_ns});  // one at a time is a stream too
    ways[One::name] = round_trip_ns;
  };
  (measure(static_cast<Way*>(nullptr)), ...);
  Json found{{"bytes", bytes}, {"ns", one_way}, {"stream_ns", stream}};
  found.update(ways);
  return found;
}

/// Libraries keep shared memory in /dev/shm, which is small in some containers: at most a quarter of what is left.
std::int64_t room_bytes() {
  struct statvfs shared {};
  if (statvfs("/dev/shm", &shared) != 0) return largest_handoff_bytes;
  const auto left = static_cast<std::int64_t>(shared.f_bavail) * static_cast<std::int64_t>(shared.f_bsize);
  return std::min(largest_handoff_bytes, left / 16);
}

Json rows_of(const Comm& pair, const std::vector<std::int64_t>& asked) {
  std::int64_t room = room_bytes();
  MPI_Bcast(&room, 1, MPI_INT64_T, 0, pair.get());
  std::vector<std::int64_t> sizes;
  for (const std::int64_t bytes : asked) sizes.push_back(std::min(bytes, room));
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  Json rows = Json::array();
  const auto seats = seats_of(pair);
  if (!seats || sizes.empty()) return rows;
  const std::int64_t largest = sizes.back();
  const SharedMemory memory(pair, static_cast<std::size_t>(Block::bytes(largest)));
  const int own = pair.rank();
  End end{
      .mine = Block(memory.block(own), largest), .theirs = Block(memory.block(1 - own), largest), .leader = own == 0};
  const StayOn here((*seats)[(*seats)[0].rank == own ? 0 : 1].cpu);
  new (end.mine.flags) Flags;
  std::memset(end.mine.ring, 1, static_cast<std::size_t>(ring_chunks * chunk_bytes));
  std::memset(end.mine.source, 1, static_cast<std::size_t>(largest));
  std::memset(end.mine.target, 1, static_cast<std::size_t>(largest));
  MPI_Barrier(pair.get());
  for (const std::int64_t bytes : sizes) rows.push_back(row(end, bytes, OneCopy{}, HalfEach{}, TwoCopies{}));
  MPI_Barrier(pair.get());
  return rows;
}

}  // namespace

Json measure_handoff(const Comm& world, const std::vector<HandoffRequest>& requests) {
  Json found = Json::array();
  for (const HandoffRequest& request : requests) {
    const std::vector<int> ranks(request.ranks.begin(), request.ranks.end());
    const Comm pair = world.only(ranks);
    std::string text;
    if (!pair.null()) text = rows_of(pair, request.sizes).dump();
    wait_asleep(world.get());
    const Json rows = Json::parse(broadcast_text(world, text, ranks.front()));
    for (Json row : rows) {
      row["ranks"] = ranks;
      found.push_back(row);
    }
  }
  return found;
}

}  // namespace groma
