#include "groma/machine/handoff.hpp"

#include <sys/statvfs.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <new>
#include <string>

#include "groma/clock/clocks.hpp"
#include "groma/errors.hpp"
#include "groma/machine/handoff_ways.hpp"
#include "groma/machine/host.hpp"
#include "groma/machine/seats.hpp"
#include "groma/machine/shared_memory.hpp"
#include "groma/mpi/asleep.hpp"
#include "groma/mpi/texts.hpp"
#include "groma/schema/json.hpp"

namespace groma {
namespace {

using namespace handoff;

/// There and back. The messages of a group lie apart, at changing distances, because processors prefetch what follows.
template <class Way>
struct RoundTrip {
  static constexpr std::int64_t figures = 2;
  static constexpr bool sends(bool) { return true; }
  static constexpr bool receives(bool) { return true; }
  static std::int64_t stride(std::int64_t bytes) { return (bytes + 127) / 128 * 128; }
  static std::int64_t messages(std::int64_t bytes) {
    constexpr std::int64_t most = 64;
    constexpr std::int64_t most_bytes = 16'384;
    return static_cast<std::int64_t>(
        std::bit_floor(static_cast<std::uint64_t>(std::clamp(most_bytes / stride(bytes), std::int64_t{1}, most))));
  }
  static std::int64_t place(std::int64_t message, std::int64_t bytes) {
    return message * (message + 1) / 2 % messages(bytes) * stride(bytes);
  }
  static void run(End& end, std::int64_t at, std::int64_t bytes) {
    if (end.leader) Way::send(end, at, bytes);
    Way::receive(end, at, bytes);
    if (!end.leader) Way::send(end, at, bytes);
    ++end.sent;
    ++end.received;
  }
  static void finish(End&) {}
};

/// Messages one behind the other, and an acknowledgement of the last one.
template <class Way>
struct Stream {
  static constexpr std::int64_t figures = 1;
  static constexpr bool sends(bool leader) { return leader; }
  static constexpr bool receives(bool leader) { return !leader; }
  static std::int64_t stride(std::int64_t bytes) {
    if (bytes > cache_line_bytes) return (bytes + cache_line_bytes - 1) / cache_line_bytes * cache_line_bytes;
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(bytes)));
  }
  static std::int64_t messages(std::int64_t bytes) {
    constexpr std::int64_t most = 4096;
    return std::clamp(window_bytes / stride(bytes), std::int64_t{1}, most);
  }
  static std::int64_t place(std::int64_t message, std::int64_t bytes) { return message * stride(bytes); }
  static void run(End& end, std::int64_t at, std::int64_t bytes) {
    if (end.leader) {
      Way::send(end, at, bytes);
      ++end.sent;
    } else {
      Way::receive(end, at, bytes);
      ++end.received;
    }
  }
  static void finish(End& end) {
    if (end.leader) {
      end.hear();
    } else {
      end.announce();
    }
  }
};

/// One group between two stamps on the leader. Every message has changed in every cache line since it was last sent;
/// that is done before the first stamp, and the received bytes are checked after the second one.
template <class Motion>
double group_ns(End& end, std::int64_t bytes) {
  const std::int64_t messages = Motion::messages(bytes);
  end.meet();  // the other one has read the messages of the last group
  for (std::int64_t i = 0; i < messages && Motion::sends(end.leader); ++i) {
    mark(end.mine.source + Motion::place(i, bytes), bytes, end.sent + i + 1);
  }
  end.meet();
  const std::int64_t start = Monotonic::now();
  for (std::int64_t i = 0; i < messages; ++i) Motion::run(end, Motion::place(i, bytes), bytes);
  Motion::finish(end);
  const std::int64_t took_ns = Monotonic::now() - start;
  if (Motion::receives(end.leader)) end.wrong += wrong_lines(end.mine.target, bytes, end.received);
  return static_cast<double>(took_ns) / static_cast<double>(Motion::figures * messages);
}

/// The shortest group on the leader: disturbances only lengthen. Groups are made for `budget_ns`, three at least.
template <class Motion>
double shortest_ns(End& end, std::int64_t bytes) {
  constexpr std::int64_t budget_ns = 500'000;
  const std::int64_t begin = Monotonic::now();
  group_ns<Motion>(end, bytes);  // warms up
  if (end.leader) {
    const std::int64_t each_ns = std::max(std::int64_t{1}, Monotonic::now() - begin);
    end.mine.flags->groups.value.store(std::clamp(budget_ns / each_ns, std::int64_t{3}, std::int64_t{50}));
  }
  end.meet();
  const std::int64_t groups = (end.leader ? end.mine : end.theirs).flags->groups.value.load();
  double shortest = std::numeric_limits<double>::infinity();
  for (std::int64_t group = 0; group < groups; ++group) shortest = std::min(shortest, group_ns<Motion>(end, bytes));
  return shortest;
}

template <class... Way>
schema::Handoff row(End& end, std::int64_t bytes, const Way&...) {
  double one_way = std::numeric_limits<double>::infinity();
  double stream = one_way;
  schema::Handoff found;
  found.bytes = bytes;
  const auto measure = [&]<class One>(One*) {
    if (!One::suits(bytes)) return;
    const double round_trip_ns = shortest_ns<RoundTrip<One>>(end, bytes);
    const double stream_ns = shortest_ns<Stream<One>>(end, bytes);
    // One message and its acknowledgement take longer than one way of it, and one at a time is a stream too.
    const bool alone = Stream<One>::messages(bytes) == 1;
    const double one_way_ns = alone ? std::min(round_trip_ns, stream_ns) : round_trip_ns;
    one_way = std::min(one_way, one_way_ns);
    stream = std::min({stream, stream_ns, one_way_ns});
    found.*One::recorded = one_way_ns;
  };
  (measure(static_cast<Way*>(nullptr)), ...);
  found.ns = one_way;
  found.stream_ns = stream;
  return found;
}

/// A larger message contains a smaller one: no size takes longer than the next larger one.
void level(std::vector<schema::Handoff>& rows) {
  for (std::size_t i = rows.size(); i-- > 1;) {
    rows[i - 1].ns = std::min(rows[i - 1].ns, rows[i].ns);
    rows[i - 1].stream_ns = std::min(rows[i - 1].stream_ns, rows[i].stream_ns);
  }
}

/// Libraries keep shared memory in /dev/shm, which is small in some containers: at most a quarter of what is left.
std::int64_t room_bytes() {
  struct statvfs shared {};
  if (statvfs("/dev/shm", &shared) != 0) return largest_handoff_bytes;
  const auto left = static_cast<std::int64_t>(shared.f_bavail) * static_cast<std::int64_t>(shared.f_bsize);
  return std::min(largest_handoff_bytes, left / 16);
}

/// The rows of one pair, and the number of cache lines that were received wrong.
struct Measured {
  std::vector<schema::Handoff> rows;
  std::int64_t wrong_lines = 0;
  static constexpr std::string_view kind = "measured";
  static constexpr std::string_view help{};
  static constexpr auto table() {
    return std::tuple{schema::member("rows", &Measured::rows, ""),
                      schema::member("wrong_lines", &Measured::wrong_lines, "")};
  }
};

Measured measured(const Comm& pair, const std::vector<std::int64_t>& asked) {
  std::int64_t room = room_bytes();
  MPI_Bcast(&room, 1, MPI_INT64_T, 0, pair.get());
  std::vector<std::int64_t> sizes;
  for (const std::int64_t bytes : asked) sizes.push_back(std::min(bytes, room));
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  Measured found;
  const auto seats = seats_of(pair);
  if (!seats || sizes.empty() || ranks_sharing_memory(pair).size() < 2) return found;
  const std::int64_t largest = sizes.back();
  const SharedMemory memory(pair, static_cast<std::size_t>(Block::bytes(largest)));
  const int own = pair.rank();
  End end{
      .mine = Block(memory.block(own), largest), .theirs = Block(memory.block(1 - own), largest), .leader = own == 0};
  const StayOn here((*seats)[(*seats)[0].rank == own ? 0 : 1].cpu);
  end.mine.prepare(largest);
  MPI_Barrier(pair.get());
  for (const std::int64_t bytes : sizes) {
    found.rows.push_back(row(end, bytes, OneCopy{}, HalfEach{}, TwoCopies{}));
  }
  found.wrong_lines = end.wrong;
  MPI_Allreduce(MPI_IN_PLACE, &found.wrong_lines, 1, MPI_INT64_T, MPI_SUM, pair.get());
  level(found.rows);
  return found;
}

}  // namespace

std::vector<schema::Handoff> measure_handoff(const Comm& world, const std::vector<HandoffRequest>& requests) {
  std::vector<schema::Handoff> found;
  for (const HandoffRequest& request : requests) {
    const std::vector<int> ranks(request.ranks.begin(), request.ranks.end());
    const Comm pair = world.only(ranks);
    std::string text;
    if (!pair.null()) text = schema::json_of(measured(pair, request.sizes)).dump();
    wait_asleep(world.get());
    const auto of_pair = schema::read_text<Measured>(broadcast_text(world, text, ranks.front()));
    if (of_pair.wrong_lines > 0) {
      throw OutputError(
          "ranks " + std::to_string(ranks[0]) + " and " + std::to_string(ranks[1]) + " handed " +
          std::to_string(of_pair.wrong_lines) +
          " wrong cache lines to each other through shared memory: no figure of this host can be trusted");
    }
    for (schema::Handoff one : of_pair.rows) {
      one.ranks = ranks;
      found.push_back(one);
    }
  }
  return found;
}

}  // namespace groma
