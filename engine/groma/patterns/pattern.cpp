#include "groma/patterns/pattern.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "groma/measure/random.hpp"
#include "groma/plan/fields.hpp"
#include "groma/plan/words.hpp"

namespace groma {
namespace {

struct Asked {
  const Info& info;
  int ranks;                  ///< how many ranks the pattern is laid over
  std::string_view argument;  ///< after the =
  std::string where;          ///< "pattern=... of <operation>"
};

[[noreturn]] void refuse(const Asked& asked, const std::string& why) { throw InputError(asked.where + " " + why); }

void need_argument(const Asked& asked, bool wanted) {
  if (wanted == asked.argument.empty()) {
    refuse(asked, wanted ? "needs a value: distance=2, list=0,3 or random=7"
                         : "takes no value; leave out what follows the name");
  }
}

void need_ranks(const Asked& asked, int least) {
  if (asked.ranks < least) {
    refuse(asked, "needs at least " + std::to_string(least) + " ranks and has " + std::to_string(asked.ranks) +
                      "; launch more ranks");
  }
}

void for_pairs_only(const Asked& asked) {
  if (asked.info.parties == Parties::group) {
    refuse(asked,
           "makes pairs, but the operation is run by one group; use all, first_two, first_last, distance=k, "
           "random=seed or "
           "list=...");
  }
}

std::vector<int> first_two(const Asked& asked) {
  need_argument(asked, false);
  need_ranks(asked, 2);
  return {0, 1};
}

std::vector<int> first_last(const Asked& asked) {
  need_argument(asked, false);
  need_ranks(asked, 2);
  return {0, asked.ranks - 1};
}

std::vector<int> at_distance(const Asked& asked) {
  need_argument(asked, true);
  const auto distance = parse_integer(asked.argument);
  if (!distance || *distance < 1) refuse(asked, "needs a whole number of at least 1");
  if (*distance > asked.ranks - 1) refuse(asked, "reaches beyond the last rank, " + std::to_string(asked.ranks - 1));
  return {0, static_cast<int>(*distance)};
}

std::vector<int> neighbours(const Asked& asked) {
  need_argument(asked, false);
  for_pairs_only(asked);
  need_ranks(asked, 2);
  std::vector<int> members(static_cast<std::size_t>(asked.ranks / 2 * 2));
  std::iota(members.begin(), members.end(), 0);
  return members;
}

std::vector<int> halves(const Asked& asked) {
  need_argument(asked, false);
  for_pairs_only(asked);
  need_ranks(asked, 2);
  std::vector<int> members;
  for (int rank = 0; rank < asked.ranks / 2; ++rank) {
    members.push_back(rank);
    members.push_back(rank + asked.ranks / 2);
  }
  return members;
}

std::vector<int> all(const Asked& asked) {
  need_argument(asked, false);
  if (asked.info.parties == Parties::pairs) {
    refuse(asked,
           "does not say who is whose partner; use first_two, first_last, slowest, farthest, distance=k, "
           "neighbours, halves, random=seed or list=...");
  }
  std::vector<int> members(static_cast<std::size_t>(asked.ranks));
  std::iota(members.begin(), members.end(), 0);
  return members;
}

std::vector<int> listed(const Asked& asked) {
  need_argument(asked, true);
  std::vector<int> members;
  for (const std::string_view word : split(asked.argument, ',')) {
    const auto rank = parse_integer(word);
    if (!rank || *rank < 0 || *rank >= asked.ranks) {
      refuse(asked,
             "names '" + std::string(word) + "', which is not a rank from 0 to " + std::to_string(asked.ranks - 1));
    }
    if (std::find(members.begin(), members.end(), static_cast<int>(*rank)) != members.end()) {
      refuse(asked, "names rank " + std::string(word) + " twice");
    }
    members.push_back(static_cast<int>(*rank));
  }
  if (asked.info.parties == Parties::pairs && members.size() % 2 != 0) {
    refuse(asked, "names an odd number of ranks; the list is taken two by two");
  }
  return members;
}

/// Every rank once, in an order drawn from the seed.
std::vector<int> drawn(const Asked& asked) {
  need_argument(asked, true);
  const auto seed = parse_integer(asked.argument);
  if (!seed || *seed < 0) refuse(asked, "needs a seed, a whole number of at least 0");
  std::vector<int> members(static_cast<std::size_t>(asked.ranks));
  std::iota(members.begin(), members.end(), 0);
  auto state = static_cast<std::uint64_t>(*seed);
  for (std::size_t left = members.size(); left > 1; --left) {
    std::swap(members[left - 1], members[next_random(state) % left]);
  }
  if (asked.info.parties == Parties::pairs) members.resize(members.size() / 2 * 2);
  return members;
}

/// The two places of a pair that is searched for when the ranks run (search.hpp): here, that there can be one.
std::vector<int> searched(const Asked& asked) {
  need_argument(asked, false);
  need_ranks(asked, 2);
  return {0, 1};
}

struct Pattern {
  PatternFacts facts;
  std::vector<int> (*members)(const Asked&);
};

const Pattern table[] = {
    {{"first_two", "", "ranks 0 and 1"}, first_two},
    {{"first_last", "", "rank 0 and the last rank"}, first_last},
    {{"distance", "k", "rank 0 and rank k"}, at_distance},
    {{"neighbours", "", "pairs (0,1), (2,3), ... all at once; an odd last rank sits out"}, neighbours},
    {{"halves", "", "pairs (r, r + n/2) all at once; an odd last rank sits out"}, halves},
    {{"slowest", "", "rank 0 and the partner with the longest short ping-pong, found by a scan before the point"},
     searched},
    {{"farthest", "", "of the first ranks of all nodes, the pair with the largest latency, found by a scan"}, searched},
    {{"random", "seed", "all ranks in an order drawn from the seed; taken two by two where pairs are needed"}, drawn},
    {{"all", "", "every rank in one group"}, all},
    {{"list", "ranks", "the ranks named, in that order; taken two by two where pairs are needed"}, listed},
};

}  // namespace

const std::vector<PatternFacts>& patterns() {
  static const std::vector<PatternFacts> facts = [] {
    std::vector<PatternFacts> all_facts;
    for (const Pattern& pattern : table) all_facts.push_back(pattern.facts);
    return all_facts;
  }();
  return facts;
}

std::vector<int> members_of(const Info& info, const Point& point, int world_ranks) {
  if (point.ranks > world_ranks) {
    throw InputError("ranks=" + std::to_string(point.ranks) + " of " + point.operation + " is more than the " +
                     std::to_string(world_ranks) + " launched; launch more or ask for fewer");
  }
  const int ranks = point.ranks == 0 ? world_ranks : static_cast<int>(point.ranks);
  if (ranks < info.min_ranks) {
    throw InputError(point.operation + " needs at least " + std::to_string(info.min_ranks) + " ranks and has " +
                     std::to_string(ranks) + "; launch it with -n " + std::to_string(info.min_ranks) + " or more");
  }
  const auto [name, argument] = name_and_argument(point.pattern);
  std::vector<std::string_view> names;
  for (const Pattern& pattern : table) {
    if (pattern.facts.name == name) {
      auto members = pattern.members({info, ranks, argument, "pattern=" + point.pattern + " of " + point.operation});
      if (static_cast<int>(members.size()) < info.min_ranks) {
        throw InputError("pattern=" + point.pattern + " gives " + point.operation + " " +
                         std::to_string(members.size()) + " ranks; it needs at least " +
                         std::to_string(info.min_ranks));
      }
      return members;
    }
    names.push_back(pattern.facts.name);
  }
  throw InputError("pattern=" + point.pattern + " is not known" + did_you_mean(name, names) + "; choose from " +
                   join(names, ", "));
}

}  // namespace groma
