#include "groma/patterns/pattern.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "groma/patterns/available.hpp"
#include "groma/plan/fields.hpp"
#include "groma/random.hpp"
#include "groma/text/words.hpp"

namespace groma {
namespace {

struct Asked {
  const Info& info;
  int ranks;                            ///< how many ranks the pattern is laid over
  std::vector<std::vector<int>> nodes;  ///< the same ranks by node; empty before they are known, and if not needed
  std::string_view argument;            ///< after the =
  std::string where;                    ///< "pattern=... of <operation>"
  std::int64_t ranks_per_node;          ///< how many ranks of every node it is laid over; 0: all of them
};

/// As refuse, where more ranks or nodes would do.
[[noreturn]] void lack(const Asked& asked, const std::string& what) { throw UnfitError(asked.where + " " + what); }

[[noreturn]] void refuse(const Asked& asked, const std::string& why) { throw InputError(asked.where + " " + why); }

void need_argument(const Asked& asked, bool wanted) {
  if (wanted == asked.argument.empty()) {
    refuse(asked, wanted ? "needs a value: distance=2, list=0,3 or random=7"
                         : "takes no value; leave out what follows the name");
  }
}

/// What to do about too few ranks: where the point itself leaves ranks of every node out, that is the cause.
std::string more_ranks(const Asked& asked, const std::string& what) {
  if (asked.ranks_per_node == 0) return "; launch " + what;
  return " with ranks_per_node=" + std::to_string(asked.ranks_per_node) + "; use more, or 0 for all of them";
}

void need_ranks(const Asked& asked, int least) {
  if (asked.ranks < least) {
    lack(asked, "needs at least " + std::to_string(least) + " ranks and has " + std::to_string(asked.ranks) +
                    more_ranks(asked, "more ranks"));
  }
}

void need_pairs_or_rings(const Asked& asked) {
  if (asked.info.parties == Parties::group) {
    refuse(asked,
           "makes pairs or rings, but the operation is run by one group; use all, first_two, first_last, distance=k, "
           "random=seed or list=...");
  }
  need_ranks(asked, 2);
}

/// The ranks 0 to `count` - 1.
std::vector<int> first_of_all(int count) {
  std::vector<int> ranks(static_cast<std::size_t>(count));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

std::vector<int> first_two(const Asked& asked) {
  need_ranks(asked, 2);
  return {0, 1};
}

std::vector<int> first_last(const Asked& asked) {
  need_ranks(asked, 2);
  return {0, asked.ranks - 1};
}

std::vector<int> at_distance(const Asked& asked) {
  const auto distance = parse_integer(asked.argument);
  if (!distance || *distance < 1) refuse(asked, "needs a whole number of at least 1");
  if (*distance > asked.ranks - 1) lack(asked, "reaches beyond the last rank, " + std::to_string(asked.ranks - 1));
  return {0, static_cast<int>(*distance)};
}

std::vector<int> neighbours(const Asked& asked) {
  need_pairs_or_rings(asked);
  return first_of_all(asked.ranks / 2 * 2);
}

std::vector<int> halves(const Asked& asked) {
  need_pairs_or_rings(asked);
  std::vector<int> members;
  for (int rank = 0; rank < asked.ranks / 2; ++rank) {
    members.push_back(rank);
    members.push_back(rank + asked.ranks / 2);
  }
  return members;
}

std::vector<int> all(const Asked& asked) {
  if (asked.info.parties == Parties::pairs) {
    refuse(asked,
           "does not say who is whose partner; use first_two, first_last, slowest, farthest, distance=k, "
           "neighbours, halves, random=seed or list=...");
  }
  return first_of_all(asked.ranks);
}

std::vector<int> listed(const Asked& asked) {
  std::vector<int> members;
  std::vector<bool> named(static_cast<std::size_t>(asked.ranks));
  for (const std::string_view word : split(asked.argument, ',')) {
    const auto rank = parse_integer(word);
    if (!rank || *rank < 0 || *rank >= asked.ranks) {
      refuse(asked,
             "names '" + std::string(word) + "', which is not a rank from 0 to " + std::to_string(asked.ranks - 1));
    }
    const auto at = static_cast<std::size_t>(*rank);
    if (named[at]) refuse(asked, "names rank " + std::string(word) + " twice");
    named[at] = true;
    members.push_back(static_cast<int>(*rank));
  }
  if (asked.info.parties == Parties::pairs && members.size() % 2 != 0) {
    refuse(asked, "names an odd number of ranks; the list is taken two by two");
  }
  return members;
}

/// Every rank once, in an order drawn from the seed.
std::vector<int> drawn(const Asked& asked) {
  const auto seed = parse_integer(asked.argument);
  if (!seed || *seed < 0) refuse(asked, "needs a seed, a whole number of at least 0");
  std::vector<int> members = first_of_all(asked.ranks);
  auto state = static_cast<std::uint64_t>(*seed);
  for (std::size_t left = members.size(); left > 1; --left) {
    std::swap(members[left - 1], members[next_random(state) % left]);
  }
  if (asked.info.parties == Parties::pairs) members.resize(members.size() / 2 * 2);
  return members;
}

/// The two places of a pair that is searched for when the ranks run (search.hpp): here, that there can be one.
std::vector<int> searched(const Asked& asked) {
  need_ranks(asked, 2);
  return {0, 1};
}

void need_nodes(const Asked& asked, std::size_t least) {
  if (asked.nodes.size() < least) {
    lack(asked, "needs ranks on at least " + std::to_string(least) + " nodes, and all are on " +
                    (asked.nodes.size() == 1 ? std::string("one") : std::to_string(asked.nodes.size())) +
                    "; launch on more nodes");
  }
}

/// The ranks that every node has.
std::size_t equal_nodes(const Asked& asked) {
  const std::size_t each = asked.nodes.front().size();
  for (const auto& node : asked.nodes) {
    if (node.size() != each) lack(asked, "needs as many ranks on every node; use ranks_per_node");
  }
  return each;
}

/// Placeholders for ranks that are not known before the nodes are: two ranks, or all.
std::vector<int> anyone(const Asked& asked) {
  return asked.info.parties == Parties::pairs ? first_two(asked) : all(asked);
}

/// The two places of the farthest pair of nodes, which is searched for when the ranks run (search.hpp).
std::vector<int> farthest(const Asked& asked) {
  if (!asked.nodes.empty()) need_nodes(asked, 2);
  return searched(asked);
}

/// One pair; or where ranks have targets every node, a ring each.
std::vector<int> intranode(const Asked& asked) {
  need_pairs_or_rings(asked);
  if (asked.nodes.empty()) return anyone(asked);
  const std::string more = more_ranks(asked, "more ranks per node");
  if (asked.info.parties == Parties::pairs) {
    for (const auto& node : asked.nodes) {
      if (node.size() > 1) return {node[0], node[1]};
    }
    lack(asked, "needs a node with two ranks, and every rank is alone" + more);
  }
  if (equal_nodes(asked) < 2) lack(asked, "needs two ranks on every node, and there is one" + more);
  std::vector<int> members;
  for (const auto& node : asked.nodes) members.insert(members.end(), node.begin(), node.end());
  return members;
}

/// One pair; or where ranks have targets a ring of the first ranks of the nodes, one of the second ranks, and so on.
std::vector<int> internode(const Asked& asked) {
  need_pairs_or_rings(asked);
  if (asked.nodes.empty()) return anyone(asked);
  need_nodes(asked, 2);
  if (asked.info.parties == Parties::pairs) return {asked.nodes[0][0], asked.nodes[1][0]};
  std::vector<int> members;
  for (std::size_t place = 0; place < equal_nodes(asked); ++place) {
    for (const auto& node : asked.nodes) members.push_back(node[place]);
  }
  return members;
}

std::vector<int> bisection(const Asked& asked) {
  need_pairs_or_rings(asked);
  if (asked.nodes.empty()) return halves(asked);
  need_nodes(asked, 2);
  const std::size_t half = asked.nodes.size() / 2;
  std::vector<int> members;
  for (std::size_t node = 0; node < half; ++node) {
    for (std::size_t place = 0; place < equal_nodes(asked); ++place) {
      members.push_back(asked.nodes[node][place]);
      members.push_back(asked.nodes[node + half][place]);
    }
  }
  return members;
}

struct Pattern {
  PatternFacts facts;
  std::vector<int> (*members)(const Asked&);
  bool needs_nodes = false;  ///< elsewhere the nodes are not made, since every rank makes them for every point
};

const Pattern table[] = {
    {{"first_two", "", "ranks 0 and 1"}, first_two},
    {{"first_last", "", "rank 0 and the last rank"}, first_last},
    {{"distance", "k", "rank 0 and rank k"}, at_distance},
    {{"neighbours", "", "pairs (0,1), (2,3), ... all at once; an odd last rank takes no part"}, neighbours},
    {{"halves", "", "pairs (r, r + n/2) all at once; an odd last rank takes no part"}, halves},
    {{"slowest", "",
      "rank 0 and the partner with the longest ping-pong of 8 B (of 64 KiB for messages of at least that size)"},
     searched},
    {{"farthest", "",
      "of the first ranks of all nodes, the pair with the longest ping-pong of 8 B (of 64 KiB for messages of at least "
      "that size)"},
     farthest,
     true},
    {{"random", "seed", "all ranks in an order drawn from the seed; an operation on pairs takes them two by two"},
     drawn},
    {{"intranode", "", "two ranks of one node; for operations with targets, one ring in every node"}, intranode, true},
    {{"internode", "", "one rank of each of two nodes; for operations with targets, rings across the nodes"},
     internode,
     true},
    {{"bisection", "", "half the nodes with the other half, rank by rank, all at once"}, bisection, true},
    {{"all", "", "every rank in one group"}, all},
    {{"list", "ranks", "the ranks named, in that order; an operation on pairs takes them two by two"}, listed},
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

namespace {

/// Positions in `ranks` by node, nodes in the order of their first ranks.
std::vector<std::vector<int>> by_node(const std::vector<int>& ranks, std::span<const int> node_of_rank) {
  std::vector<std::vector<int>> nodes;
  std::map<int, std::size_t> place;
  for (std::size_t at = 0; at < ranks.size() && !node_of_rank.empty(); ++at) {
    const int node = node_of_rank[static_cast<std::size_t>(ranks[at])];
    const auto [found, added] = place.try_emplace(node, nodes.size());
    if (added) nodes.emplace_back();
    nodes[found->second].push_back(static_cast<int>(at));
  }
  return nodes;
}

}  // namespace

int lane_of(const Point& point, const std::vector<int>& group, std::span<const int> node_of_rank) {
  const auto all = static_cast<int>(group.size());
  const auto node = [&](int rank) { return node_of_rank[static_cast<std::size_t>(rank)]; };
  for (const char* pairs : {"neighbours", "halves", "bisection"}) {
    if (point.pattern == pairs) return 2;
  }
  if (node_of_rank.empty() || group.empty()) return all;
  const auto near = static_cast<int>(
      std::count_if(group.begin(), group.end(), [&](int rank) { return node(rank) == node(group.front()); }));
  if (point.pattern == "intranode") return near;
  return point.pattern == "internode" ? all / std::max(1, near) : all;
}

std::vector<int> members_of(const Info& info, const Point& point, int world_ranks, std::span<const int> node_of_rank) {
  if (point.ranks > world_ranks) {
    throw UnfitError("ranks=" + std::to_string(point.ranks) + " of " + point.operation + " is more than the " +
                     std::to_string(world_ranks) + " launched; launch more or ask for fewer");
  }
  const std::vector<int> laid_over =
      available(point, point.ranks == 0 ? world_ranks : static_cast<int>(point.ranks), node_of_rank).measured;
  const auto ranks = static_cast<int>(laid_over.size());
  if (ranks < info.min_ranks) {
    const std::string least = std::to_string(info.min_ranks);
    const std::string cause = point.ranks_per_node > 0
                                  ? " with ranks_per_node=" + std::to_string(point.ranks_per_node) + "; use more"
                                  : "; launch it with -n " + least + " or more";
    throw UnfitError(point.operation + " needs at least " + least + " ranks and has " + std::to_string(ranks) + cause);
  }
  const auto [name, argument] = name_and_argument(point.pattern);
  std::vector<std::string_view> names;
  for (const Pattern& pattern : table) {
    if (pattern.facts.name == name) {
      const Asked asked{info,
                        ranks,
                        pattern.needs_nodes ? by_node(laid_over, node_of_rank) : std::vector<std::vector<int>>(),
                        argument,
                        "pattern=" + point.pattern + " of " + point.operation,
                        point.ranks_per_node};
      need_argument(asked, !pattern.facts.argument.empty());
      auto members = pattern.members(asked);
      if (static_cast<int>(members.size()) < info.min_ranks) {
        throw UnfitError("pattern=" + point.pattern + " gives " + point.operation + " " +
                         std::to_string(members.size()) + " ranks; it needs at least " +
                         std::to_string(info.min_ranks));
      }
      for (int& member : members) member = laid_over[static_cast<std::size_t>(member)];
      return members;
    }
    names.push_back(pattern.facts.name);
  }
  throw InputError("pattern=" + point.pattern + " is not known" + did_you_mean(name, names) + "; choose from " +
                   join(names, ", "));
}

}  // namespace groma
