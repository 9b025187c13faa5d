#include "groma/machine/tcp.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "groma/clock/clocks.hpp"
#include "groma/machine/sockets.hpp"
#include "groma/mpi/asleep.hpp"
#include "groma/mpi/texts.hpp"
#include "groma/schema/json.hpp"

namespace groma {
namespace {

constexpr std::int64_t longest_ns = 500'000'000;  // for all sizes of a pair
constexpr std::int64_t stalled_ns = 2'000'000'000;
constexpr std::int64_t budget_ns = 2'000'000;

/// One rank's end of the pair.
struct TcpEnd {
  const Comm& pair;
  Connection connection;
  std::vector<int> ranks;  ///< of the pair in the world
  std::vector<std::byte> message;
  bool leader;
  std::int64_t begin_ns = Monotonic::now();
  std::int64_t tried_bytes = 1;  ///< the largest message of which one round trip was made, and what that took
  std::int64_t trip_ns = 0;

  void send(std::int64_t bytes) { connection.send(message.data(), static_cast<std::size_t>(bytes)); }
  void receive(std::int64_t bytes) { connection.receive(message.data(), static_cast<std::size_t>(bytes)); }
  [[nodiscard]] bool both_good() const {
    int good = connection.good() ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, pair.get());
    return good == 1;
  }
};

struct TcpRoundTrip {
  static constexpr std::int64_t figures = 2;
  static std::int64_t messages(std::int64_t) { return 1; }
  static void run(TcpEnd& end, std::int64_t bytes) {
    if (end.leader) end.send(bytes);
    end.receive(bytes);
    if (!end.leader) end.send(bytes);
  }
  static void finish(TcpEnd&) {}
};

/// Messages one behind the other, and a byte back after the last one.
struct TcpStream {
  static constexpr std::int64_t figures = 1;
  static std::int64_t messages(std::int64_t bytes) {
    constexpr std::int64_t window_bytes = 262'144;
    return std::clamp(window_bytes / bytes, std::int64_t{1}, std::int64_t{64});
  }
  static void run(TcpEnd& end, std::int64_t bytes) { end.leader ? end.send(bytes) : end.receive(bytes); }
  static void finish(TcpEnd& end) { end.leader ? end.receive(1) : end.send(1); }
};

template <class Motion>
std::int64_t tcp_group_ns(TcpEnd& end, std::int64_t bytes) {
  const std::int64_t start = Monotonic::now();
  end.connection.until(start + stalled_ns);
  for (std::int64_t i = 0; i < Motion::messages(bytes); ++i) Motion::run(end, bytes);
  Motion::finish(end);
  return Monotonic::now() - start;
}

/// The shortest of the groups that `budget_ns` allows, three at least.
template <class Motion>
double shortest_tcp_ns(TcpEnd& end, std::int64_t bytes) {
  std::int64_t groups = budget_ns / std::max(std::int64_t{1}, tcp_group_ns<Motion>(end, bytes));  // warms up
  MPI_Bcast(&groups, 1, MPI_INT64_T, 0, end.pair.get());
  double shortest = std::numeric_limits<double>::infinity();
  for (std::int64_t group = 0; group < std::clamp(groups, std::int64_t{3}, std::int64_t{200}); ++group) {
    shortest = std::min(shortest, static_cast<double>(tcp_group_ns<Motion>(end, bytes)));
  }
  return shortest / static_cast<double>(Motion::figures * Motion::messages(bytes));
}

/// True if a size can be measured in the time left. Round trips of growing messages tell what it will take.
bool affordable(TcpEnd& end, std::int64_t bytes) {
  constexpr double trips_a_size = 10;
  constexpr std::int64_t step = 4;
  while (true) {
    const std::int64_t growth = std::clamp(bytes / end.tried_bytes, std::int64_t{1}, step);
    const auto expected_ns = static_cast<double>(end.trip_ns) * trips_a_size * static_cast<double>(growth);
    const auto elapsed_ns = static_cast<double>(Monotonic::now() - end.begin_ns);
    int go_on = elapsed_ns + expected_ns < static_cast<double>(longest_ns) ? 1 : 0;
    MPI_Bcast(&go_on, 1, MPI_INT, 0, end.pair.get());
    if (go_on == 0) return false;
    if (bytes / step <= end.tried_bytes) return true;
    end.tried_bytes *= step;
    end.trip_ns = tcp_group_ns<TcpRoundTrip>(end, end.tried_bytes);
  }
}

/// Rows by size, as far as the time for a pair reaches.
std::vector<schema::TcpRow> tcp_rows(TcpEnd& end, const std::vector<std::int64_t>& sizes) {
  std::vector<schema::TcpRow> rows;
  end.trip_ns = tcp_group_ns<TcpRoundTrip>(end, end.tried_bytes);
  for (const std::int64_t bytes : sizes) {
    if (!affordable(end, bytes)) break;
    const double one_way_ns = shortest_tcp_ns<TcpRoundTrip>(end, bytes);
    const double stream_ns = shortest_tcp_ns<TcpStream>(end, bytes);
    if (!end.both_good()) break;
    rows.push_back(
        {.bytes = bytes, .ns = one_way_ns, .stream_ns = std::min(one_way_ns, stream_ns), .ranks = end.ranks});
  }
  return rows;
}

/// What one pair of ranks finds; a note where rows are missing.
schema::Tcp measured(const Comm& pair, const std::vector<int>& ranks, std::vector<std::int64_t> sizes) {
  std::erase_if(sizes, [](std::int64_t bytes) { return bytes > largest_handoff_bytes; });
  if (sizes.empty()) sizes.push_back(largest_handoff_bytes);
  auto connection = connected(pair);
  if (!connection) return {.rows = {}, .notes = {{.ranks = ranks, .note = "no TCP connection within a second"}}};
  TcpEnd end{.pair = pair,
             .connection = std::move(*connection),
             .ranks = ranks,
             .message = std::vector<std::byte>(static_cast<std::size_t>(sizes.back())),
             .leader = pair.rank() == 0};
  schema::Tcp found{.rows = tcp_rows(end, sizes), .notes = {}};
  const std::size_t made = found.rows.size();
  std::string note;
  if (made < sizes.size()) note = "sizes from " + std::to_string(sizes[made]) + " bytes on take too long";
  if (!end.both_good()) note = "the TCP connection stalled";
  if (!note.empty()) found.notes.push_back({.ranks = ranks, .note = note});
  return found;
}

}  // namespace

schema::Tcp measure_tcp(const Comm& world, const std::vector<HandoffRequest>& requests) {
  schema::Tcp found;
  for (const HandoffRequest& request : requests) {
    if (!found.notes.empty()) break;  // what blocks two hosts blocks others too
    const std::vector<int> ranks(request.ranks.begin(), request.ranks.end());
    const Comm pair = world.only(ranks);
    std::string text;
    if (!pair.null()) text = schema::json_of(measured(pair, ranks, request.sizes)).dump();
    wait_asleep(world.get());
    const auto of_pair = schema::read_text<schema::Tcp>(broadcast_text(world, text, ranks.front()));
    found.rows.insert(found.rows.end(), of_pair.rows.begin(), of_pair.rows.end());
    found.notes.insert(found.notes.end(), of_pair.notes.begin(), of_pair.notes.end());
  }
  return found;
}

}  // namespace groma
