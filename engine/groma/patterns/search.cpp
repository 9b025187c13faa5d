#include "groma/patterns/search.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <numeric>
#include <set>

#include "groma/clock/clocks.hpp"
#include "groma/mpi/asleep.hpp"
#include "groma/plan/fields.hpp"
#include "groma/random.hpp"
#include "groma/text/words.hpp"

namespace groma {
namespace {

constexpr int short_bytes = 8;
constexpr int long_bytes = 1 << 16;  // the time of longer messages depends on bandwidth, as that of these
constexpr std::size_t most_listed = 16;
constexpr int turn_tag = 1;

/// Sleeps until rank 0 says that it is this rank's turn: a thousand ranks that spin would slow the one measured.
void wait_for_turn(const Comm& comm) {
  int called = 0;
  MPI_Iprobe(0, turn_tag, comm.get(), &called, MPI_STATUS_IGNORE);
  while (called == 0) {
    constexpr timespec nap{.tv_sec = 0, .tv_nsec = 500'000};
    nanosleep(&nap, nullptr);
    MPI_Iprobe(0, turn_tag, comm.get(), &called, MPI_STATUS_IGNORE);
  }
  MPI_Recv(nullptr, 0, MPI_BYTE, 0, turn_tag, comm.get(), MPI_STATUS_IGNORE);
}

/// The longest first; of equal times the lowest ranks.
void sort_and_cut(std::vector<Candidate>& candidates, std::size_t most) {
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    if (a.one_way_ns != b.one_way_ns) return a.one_way_ns > b.one_way_ns;
    return std::pair(a.first, a.second) < std::pair(b.first, b.second);
  });
  candidates.resize(std::min(candidates.size(), most));
}

/// Rank 0's candidates, on every rank.
void share(const Comm& world, Finding& finding) {
  auto count = static_cast<int>(finding.slowest.size());
  MPI_Bcast(&count, 1, MPI_INT, 0, world.get());
  finding.slowest.resize(static_cast<std::size_t>(count));
  for (Candidate& one : finding.slowest) {
    std::array<double, 3> row{static_cast<double>(one.first), static_cast<double>(one.second), one.one_way_ns};
    MPI_Bcast(row.data(), 3, MPI_DOUBLE, 0, world.get());
    one = {static_cast<int>(row[0]), static_cast<int>(row[1]), row[2]};
  }
}

/// The rounds to play, in order: all of them, or as many as allowed, drawn from the seed.
std::vector<int> rounds_of(int players, const SearchRules& rules) {
  std::vector<int> rounds(static_cast<std::size_t>(players % 2 == 0 ? players - 1 : players));
  std::iota(rounds.begin(), rounds.end(), 0);
  const auto most = static_cast<std::size_t>(rules.most_rounds);
  if (rounds.size() <= most) return rounds;
  std::uint64_t state = rules.seed;
  for (std::size_t at = 0; at < most; ++at) {
    std::swap(rounds[at], rounds[at + next_random(state) % (rounds.size() - at)]);
  }
  rounds.resize(most);
  return rounds;
}

/// The result of one leader's rounds: its slowest partner (as the first rank of the pair), and the number of partners.
struct Screened {
  int partner = -1;
  double one_way_ns = 0;
  std::int64_t met = 0;
};

/// All rounds, each in `parts` one after the other.
Screened screen(const Comm& leaders, const std::vector<int>& ranks, const SearchRules& rules, int parts,
                const Probe& probe) {
  Screened found;
  const int me = leaders.rank();
  for (const int round : rounds_of(leaders.size(), rules)) {
    const int other = opponent(me, round, leaders.size());
    for (int part = 0; part < parts; ++part) {
      MPI_Barrier(leaders.get());
      if (other < 0 || std::min(me, other) % parts != part) continue;
      const int partner = ranks[static_cast<std::size_t>(other)];
      const double one_way_ns = probe(partner, me < other);
      if (me > other) continue;
      ++found.met;
      if (found.partner >= 0 && one_way_ns <= found.one_way_ns) continue;
      found.partner = partner;
      found.one_way_ns = one_way_ns;
    }
  }
  return found;
}

/// Every leader's slowest pair on the first leader, the slowest of all first.
std::vector<Candidate> gather(const Comm& leaders, const std::vector<int>& ranks, const Screened& mine, int most) {
  const std::array<double, 2> row{static_cast<double>(mine.partner), mine.one_way_ns};
  std::vector<double> rows(leaders.rank() == 0 ? 2 * ranks.size() : 0);
  MPI_Gather(row.data(), 2, MPI_DOUBLE, rows.data(), 2, MPI_DOUBLE, 0, leaders.get());
  std::vector<Candidate> candidates;
  for (std::size_t at = 0; 2 * at < rows.size(); ++at) {
    if (rows[2 * at] >= 0) candidates.push_back({ranks[at], static_cast<int>(rows[2 * at]), rows[2 * at + 1]});
  }
  sort_and_cut(candidates, static_cast<std::size_t>(most));
  return candidates;
}

std::vector<int> first_ranks(const std::vector<int>& node_of_rank) {
  std::vector<int> ranks;
  std::set<int> seen;
  for (std::size_t rank = 0; rank < node_of_rank.size(); ++rank) {
    if (seen.insert(node_of_rank[rank]).second) ranks.push_back(static_cast<int>(rank));
  }
  return ranks;
}

/// The candidates once more, one at a time, on every rank. Whether most of them took much longer in their rounds, where
/// pairs share links: then the rounds say little of who is far.
bool measure_alone(const Comm& world, std::vector<Candidate>& candidates, const Probe& probe) {
  constexpr double much = 1.5;
  std::size_t slowed = 0;
  for (Candidate& one : candidates) {
    const double together_ns = one.one_way_ns;
    const bool first = world.rank() == one.first;
    if (first || world.rank() == one.second) one.one_way_ns = probe(first ? one.second : one.first, first);
    wait_asleep(world.get());
    MPI_Bcast(&one.one_way_ns, 1, MPI_DOUBLE, one.first, world.get());
    if (together_ns > much * one.one_way_ns) ++slowed;
  }
  return 2 * slowed > candidates.size();
}

}  // namespace

int opponent(int player, int round, int players) {
  // The circle method: all but the last player stand in a circle of odd length and meet whom the axis mirrors them to.
  const int circle = players % 2 == 0 ? players - 1 : players;
  if (player == circle) return round;
  const int other = ((2 * round - player) % circle + circle) % circle;
  if (other != player) return other;
  return players == circle ? -1 : circle;
}

Probe round_trips(const Comm& comm, const SearchRules& rules) {
  return [&comm, bytes = rules.bytes, trips = rules.round_trips](int partner, bool first) {
    constexpr int warmups = 5;
    std::vector<char> data(static_cast<std::size_t>(bytes));
    std::int64_t shortest_ns = std::numeric_limits<std::int64_t>::max();
    for (int trip = -warmups; trip < trips; ++trip) {
      const std::int64_t begin = Monotonic::now();
      if (first) MPI_Send(data.data(), bytes, MPI_BYTE, partner, 0, comm.get());
      MPI_Recv(data.data(), bytes, MPI_BYTE, partner, 0, comm.get(), MPI_STATUS_IGNORE);
      if (!first) MPI_Send(data.data(), bytes, MPI_BYTE, partner, 0, comm.get());
      if (trip >= 0) shortest_ns = std::min(shortest_ns, Monotonic::now() - begin);
    }
    return static_cast<double>(shortest_ns) / 2;
  };
}

Finding search_slowest(const Comm& world, int ranks, const Probe& probe) {
  Finding finding{.pattern = "slowest", .ranks = ranks, .pairs = ranks - 1, .scanned = ranks - 1, .slowest = {}};
  const std::int64_t begin = Monotonic::now();
  if (world.rank() == 0) {
    for (int partner = 1; partner < ranks; ++partner) {
      MPI_Send(nullptr, 0, MPI_BYTE, partner, turn_tag, world.get());
      finding.slowest.push_back({0, partner, probe(partner, true)});
    }
    sort_and_cut(finding.slowest, most_listed);
  } else if (world.rank() < ranks) {
    wait_for_turn(world);
    probe(0, false);
  }
  wait_asleep(world.get());
  share(world, finding);
  finding.took_ns = Monotonic::now() - begin;
  return finding;
}

Finding search_farthest(const Comm& world, const std::vector<int>& node_of_rank, const SearchRules& rules,
                        const Probe& probe) {
  const std::vector<int> ranks = first_ranks(node_of_rank);
  const auto nodes = static_cast<std::int64_t>(ranks.size());
  Finding finding{.pattern = "farthest",
                  .ranks = static_cast<int>(node_of_rank.size()),
                  .pairs = nodes * (nodes - 1) / 2,
                  .slowest = {}};
  const std::int64_t begin = Monotonic::now();
  const Comm leaders = world.only(ranks);
  const auto players = static_cast<int>(ranks.size());
  constexpr int most_parts = 64;
  constexpr int finer = 8;
  int parts = players <= rules.few_nodes ? players : 1;
  while (true) {
    if (!leaders.null()) {
      const Screened mine = screen(leaders, ranks, rules, parts, probe);
      MPI_Reduce(&mine.met, &finding.scanned, 1, MPI_INT64_T, MPI_SUM, 0, leaders.get());
      finding.slowest = gather(leaders, ranks, mine, rules.finalists);
    }
    wait_asleep(world.get());
    MPI_Bcast(&finding.scanned, 1, MPI_INT64_T, 0, world.get());
    share(world, finding);
    const bool hidden = measure_alone(world, finding.slowest, probe);
    finding.at_once = (players / 2 + parts - 1) / parts;
    if (!hidden || parts >= std::min(players, most_parts)) break;
    parts = std::min(parts * finer, players);
  }
  sort_and_cut(finding.slowest, most_listed);
  finding.took_ns = Monotonic::now() - begin;
  return finding;
}

PairFinder::PairFinder(const Comm& world, const std::vector<int>& node_of_rank, const std::vector<std::uint64_t>& hosts,
                       std::int64_t seed, std::string_view known)
    : world_(world), node_of_rank_(node_of_rank), hosts_(hosts), seed_(static_cast<std::uint64_t>(seed)) {
  for (const std::string_view one : known.empty() ? std::vector<std::string_view>{} : split(known, ';')) {
    const auto [name, pair] = name_and_argument(one);
    const auto parts = split(name, '/');
    const auto ranks = parts.size() == 3 ? parse_integer(parts[1]) : std::nullopt;
    const auto words = split(pair, ',');
    const auto first = parse_integer(words.front());
    const auto second = parse_integer(words.back());
    const auto is_rank = [&](const auto& rank) { return rank && *rank >= 0 && *rank < *ranks; };
    if (!ranks || words.size() != 2 || !is_rank(first) || !is_rank(second) || *first == *second) {
      throw InputError("--pairs has '" + std::string(one) +
                       "', and a pair is written PATTERN/RANKS/BYTES@PLACEMENT=FIRST,SECOND; leave --pairs out to have "
                       "pairs searched");
    }
    // A run may have launches with more ranks than this one. Their pairs are not of this launch's hosts.
    if (*ranks > world.size()) continue;
    known_[std::string(name)] = {static_cast<int>(*first), static_cast<int>(*second)};
  }
}

Point PairFinder::settled(Point point) {
  if (point.pattern != "slowest" && point.pattern != "farthest") return point;
  const int ranks = point.ranks == 0 ? world_.size() : static_cast<int>(point.ranks);
  if (point.pattern == "farthest" && first_ranks({node_of_rank_.begin(), node_of_rank_.begin() + ranks}).size() < 2) {
    throw InputError("pattern=farthest of " + point.operation + " looks for a pair of nodes, and all " +
                     std::to_string(ranks) + " ranks are on one; launch on more nodes, or use pattern=slowest");
  }
  const Candidate& found =
      find({point.pattern, ranks, point.bytes < long_bytes ? short_bytes : long_bytes}).slowest.front();
  point.pattern = "list=" + std::to_string(found.first) + "," + std::to_string(found.second);
  return point;
}

const Finding& PairFinder::find(const Sought& sought) {
  if (const auto made = findings_.find(sought); made != findings_.end()) return made->second;
  SearchRules rules{.bytes = sought.bytes, .seed = seed_};
  if (sought.bytes == long_bytes) rules.round_trips /= 4;  // they take long, so noise is a small part of their time
  Finding finding = scan(sought, rules);
  if (!finding.given && sought.bytes == long_bytes) {
    const Candidate known = find({sought.pattern, sought.ranks, short_bytes}).slowest.front();
    prefer_known(finding, known, round_trips(world_, rules));
  }
  finding.bytes = rules.bytes;
  finding.round_trips = rules.round_trips;
  return findings_[sought] = finding;
}

Finding PairFinder::scan(const Sought& sought, const SearchRules& rules) const {
  const Probe probe = round_trips(world_, rules);
  const std::string name = sought.pattern + "/" + std::to_string(sought.ranks) + "/" + std::to_string(sought.bytes);
  const auto known = known_.find(name + "@" + placement(sought.ranks));
  if (known != known_.end()) {
    const std::int64_t begin = Monotonic::now();
    std::vector<Candidate> pair{{known->second.first, known->second.second, 0}};
    measure_alone(world_, pair, probe);
    return {.pattern = sought.pattern,
            .ranks = sought.ranks,
            .given = true,
            .took_ns = Monotonic::now() - begin,
            .slowest = pair};
  }
  if (sought.pattern == "slowest") return search_slowest(world_, sought.ranks, probe);
  const std::vector<int> nodes(node_of_rank_.begin(), node_of_rank_.begin() + sought.ranks);
  return search_farthest(world_, nodes, rules, probe);
}

/// A curve over sizes keeps one pair if it is as slow for long messages: among equal pairs the slowest is random.
void PairFinder::prefer_known(Finding& finding, const Candidate& known, const Probe& probe) const {
  constexpr double clearly = 1.1;
  const auto is_known = [&](const Candidate& one) { return one.first == known.first && one.second == known.second; };
  std::vector<Candidate> both{finding.slowest.front(), known};
  measure_alone(world_, both, probe);
  if (both[0].one_way_ns > clearly * both[1].one_way_ns) return;
  std::erase_if(finding.slowest, is_known);
  finding.slowest.insert(finding.slowest.begin(), both[1]);
}

std::string PairFinder::placement(int ranks) const {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (int rank = 0; rank < ranks; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    for (const std::uint64_t part : {hosts_[at], static_cast<std::uint64_t>(node_of_rank_[at])}) {
      hash = (hash ^ part) * 0x100000001b3;
    }
  }
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
  return text.data();
}

std::vector<schema::Search> PairFinder::describe() const {
  std::vector<schema::Search> out;
  for (const auto& [sought, finding] : findings_) {
    std::vector<schema::PairTime> slowest;
    for (const Candidate& one : finding.slowest) {
      slowest.push_back({.ranks = {one.first, one.second}, .one_way_ns = one.one_way_ns});
    }
    out.push_back({.pattern = finding.pattern,
                   .ranks = finding.ranks,
                   .bytes = finding.bytes,
                   .placement = placement(finding.ranks),
                   .given = finding.given,
                   .round_trips = finding.round_trips,
                   .pairs = finding.pairs,
                   .scanned = finding.scanned,
                   .at_once = finding.at_once,
                   .took_ns = finding.took_ns,
                   .slowest = slowest});
  }
  return out;
}

}  // namespace groma
