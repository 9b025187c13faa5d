// Patterns whose pair is found by a scan of short round trips, before anything is timed: `slowest` and `farthest`.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "groma/mpi/handles.hpp"
#include "groma/plan/point.hpp"
#include "groma/schema/clocks.hpp"

namespace groma {

/// How much a scan may cost.
struct SearchRules {
  int bytes = 8;          ///< of the messages
  int round_trips = 20;   ///< of each pair; the shortest counts, because noise only lengthens
  int most_rounds = 128;  ///< of `farthest`: with more nodes than that, rounds are drawn from the seed
  int finalists = 16;     ///< of `farthest`: pairs measured again, one at a time
  int few_nodes = 32;     ///< of `farthest`: this many or fewer are screened one pair at a time
  std::uint64_t seed = 1;
};

struct Candidate {
  int first = 0;
  int second = 0;
  double one_way_ns = 0;
};

/// What a scan found among the first `ranks` ranks. The same on every rank.
struct Finding {
  std::string pattern;
  int ranks = 0;
  int bytes = 8;             ///< of the messages
  int round_trips = 0;       ///< of each pair
  bool given = false;        ///< no scan: the pair of an earlier launch with the same hosts
  std::int64_t pairs = 0;    ///< that there are
  std::int64_t scanned = 0;  ///< that were measured
  std::int64_t took_ns = 0;
  std::int64_t at_once = 1;        ///< pairs that were screened at the same time, at most
  std::vector<Candidate> slowest;  ///< longest time first: the pair that is used, then those that came near
};

/// The one-way time, in ns, between this rank and a partner that calls it too; `first` sends first.
using Probe = std::function<double(int partner, bool first)>;

/// Round trips on `comm`, of messages as the rules say.
Probe round_trips(const Comm& comm, const SearchRules& rules);

/// Rank 0 with each of the first `ranks` ranks in turn (SKaMPI). Collective; ranks that are not measured sleep.
Finding search_slowest(const Comm& world, int ranks, const Probe& probe);

/// The first ranks of all nodes, two by two: rounds in which every node is in one pair, then the slowest of all alone.
/// If these take much less time alone, the pairs of a round disturbed each other, which hides pairs that are far apart:
/// rounds are then played again in parts, with fewer pairs at once, until that is no longer so.
/// `node_of_rank` numbers the nodes of the ranks to search among, at least two nodes. Collective.
Finding search_farthest(const Comm& world, const std::vector<int>& node_of_rank, const SearchRules& rules,
                        const Probe& probe);

/// Whom player `player` of `players` meets in a round of a round-robin tournament; -1 when it sits out. Rounds are
/// numbered from 0 to players - 2 (players - 1 if their number is odd).
int opponent(int player, int round, int players);

/// The searches of one launch: each is made once, when a point first needs it. Points of messages below 64 KiB share
/// the pair found with 8 bytes, the others one found with 64 KiB; theirs is the same pair, unless another takes a tenth
/// longer.
class PairFinder {
 public:
  /// `hosts` are numbers for the names of the hosts, by rank. `known` are pairs that an earlier launch found, as its
  /// record names them: `PATTERN/RANKS/BYTES@PLACEMENT=FIRST,SECOND`, with a ; between two. Throws InputError.
  PairFinder(const Comm& world, const std::vector<int>& node_of_rank, const std::vector<std::uint64_t>& hosts,
             std::int64_t seed, std::string_view known = {});

  /// The point with the pair that its pattern found, as `list=a,b`; any other point as it is. Collective; throws
  /// InputError on every rank where there can be no such pair.
  Point settled(Point point);
  /// What was searched and found, for the start record.
  [[nodiscard]] std::vector<schema::Search> describe() const;

 private:
  struct Sought {
    std::string pattern;
    int ranks = 0;
    int bytes = 0;
    auto operator<=>(const Sought&) const = default;
  };
  const Finding& find(const Sought& sought);
  [[nodiscard]] Finding scan(const Sought& sought, const SearchRules& rules) const;
  void prefer_known(Finding& finding, const Candidate& known, const Probe& probe) const;
  /// Names the hosts of the first ranks: pairs are the same where this is.
  [[nodiscard]] std::string placement(int ranks) const;

  const Comm& world_;
  const std::vector<int>& node_of_rank_;
  const std::vector<std::uint64_t>& hosts_;
  std::uint64_t seed_;
  std::map<std::string, std::pair<int, int>> known_;
  std::map<Sought, Finding> findings_;
};

}  // namespace groma
