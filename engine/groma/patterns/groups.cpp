#include "groma/patterns/groups.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "groma/plan/fields.hpp"
#include "groma/text/words.hpp"

namespace groma {
namespace {

struct AskedGroups {
  const Info& info;
  Group members;
  int world_ranks;
  std::span<const int> node_of_rank;
  std::string_view argument;  ///< after the =
  std::string where;          ///< "communicator=... of <operation>"
  const Point& point;
};

[[noreturn]] void refuse(const AskedGroups& asked, const std::string& why) {
  throw InputError(asked.where + " " + why);
}

/// As refuse, where more ranks or nodes would do.
[[noreturn]] void lack(const AskedGroups& asked, const std::string& what) {
  throw UnfitError(asked.where + " " + what);
}

std::vector<Group> copy(const AskedGroups& asked) { return {asked.members}; }

/// The field of the point that keeps launched ranks from taking part.
std::string restriction(const Point& point) {
  if (point.ranks_per_node > 0) return "ranks_per_node=" + std::to_string(point.ranks_per_node);
  return point.ranks > 0 ? "ranks=" + std::to_string(point.ranks) : "pattern=" + point.pattern;
}

std::vector<Group> world(const AskedGroups& asked) {
  Group everyone(static_cast<std::size_t>(asked.world_ranks));
  std::iota(everyone.begin(), everyone.end(), 0);
  if (asked.members == everyone) return {everyone};
  if (asked.point.ranks_per_node > 0) {
    lack(asked, "needs every launched rank to take part, and with " + restriction(asked.point) + " only " +
                    std::to_string(asked.members.size()) + " of the " + std::to_string(asked.world_ranks) +
                    " do; launch fewer ranks on every node, or use communicator=copy");
  }
  lack(asked, "needs every launched rank to take part, in order; use communicator=copy, or a pattern of all the ranks");
}

void for_groups_only(const AskedGroups& asked) {
  if (asked.info.parties == Parties::pairs) {
    refuse(asked, "divides a group, but the operation is run by pairs; use communicator=copy and choose a pattern");
  }
}

/// The first of the members, up to a number; a rank alone has no partner.
std::vector<Group> first_members(const AskedGroups& asked, std::ptrdiff_t count, const char* enough) {
  for_groups_only(asked);
  const std::string what = "leaves no two ranks to communicate";
  const auto members = static_cast<int>(asked.members.size());
  if (count < 2 && members < asked.world_ranks) {
    lack(asked, what + ": with " + restriction(asked.point) + " only " + std::to_string(members) + " of the " +
                    std::to_string(asked.world_ranks) + " launched ranks take part, and it needs " + enough);
  }
  if (count < 2) lack(asked, what + "; use " + enough + " ranks or more");
  return {{asked.members.begin(), asked.members.begin() + count}};
}

std::vector<Group> all_but_the_last(const AskedGroups& asked) {
  return first_members(asked, static_cast<std::ptrdiff_t>(asked.members.size()) - 1, "3");
}

std::vector<Group> first_half(const AskedGroups& asked) {
  return first_members(asked, static_cast<std::ptrdiff_t>(asked.members.size() / 2), "4");
}

std::vector<Group> by_node(const AskedGroups& asked) {
  for_groups_only(asked);
  std::map<int, Group> nodes;
  for (const int member : asked.members) {
    nodes[asked.node_of_rank.empty() ? 0 : asked.node_of_rank[static_cast<std::size_t>(member)]].push_back(member);
  }
  std::vector<Group> groups;
  for (auto& [node, group] : nodes) groups.push_back(std::move(group));
  return groups;
}

std::vector<Group> leaders(const AskedGroups& asked) {
  for_groups_only(asked);
  if (asked.node_of_rank.empty()) return {asked.members};
  Group first;
  for (const Group& node : by_node(asked)) first.push_back(node.front());
  if (first.size() < 2) lack(asked, "needs at least two nodes, and all ranks are on one; launch on more nodes");
  std::sort(first.begin(), first.end());
  return {first};
}

std::vector<Group> equal_groups(const AskedGroups& asked) {
  for_groups_only(asked);
  const auto wanted = parse_integer(asked.argument);
  if (!wanted || *wanted < 1) refuse(asked, "needs a number of groups: groups=2");
  const auto ranks = static_cast<double>(asked.members.size());
  if (*wanted > ranks) {
    lack(asked, "makes more groups than the " + plain_number(ranks) + " ranks that take part");
  }
  std::vector<Group> groups(static_cast<std::size_t>(*wanted));
  const auto each = static_cast<std::ptrdiff_t>(asked.members.size() / groups.size());
  auto from = asked.members.begin();
  for (Group& group : groups) {
    group.assign(from, from + each);
    from += each;
  }
  return groups;
}

struct Communicator {
  PatternFacts facts;
  std::vector<Group> (*groups)(const AskedGroups&);
};

const Communicator communicator_table[] = {
    {{"copy", "", "a duplicate of MPI_COMM_WORLD, or of the part of it that takes part"}, copy},
    {{"world", "", "MPI_COMM_WORLD itself; every launched rank must take part"}, world},
    {{"world-1", "", "all ranks that take part but the last"}, all_but_the_last},
    {{"half", "", "the first half of the ranks that take part"}, first_half},
    {{"node", "", "one for the ranks of each node, all at once"}, by_node},
    {{"leaders", "", "the first rank of every node"}, leaders},
    {{"groups", "k", "k equal groups of neighbouring ranks, all at once; ranks left over take no part"}, equal_groups},
};

}  // namespace

const std::vector<PatternFacts>& communicators() {
  static const std::vector<PatternFacts> facts = [] {
    std::vector<PatternFacts> all_facts;
    for (const Communicator& communicator : communicator_table) all_facts.push_back(communicator.facts);
    return all_facts;
  }();
  return facts;
}

std::vector<Group> groups_of(const Info& info, const Point& point, int world_ranks, std::span<const int> node_of_rank) {
  const auto [name, argument] = name_and_argument(point.communicator);
  std::vector<std::string_view> names;
  for (const Communicator& communicator : communicator_table) {
    names.push_back(communicator.facts.name);
    if (communicator.facts.name != name) continue;
    const AskedGroups asked{info,        members_of(info, point, world_ranks, node_of_rank),
                            world_ranks, node_of_rank,
                            argument,    "communicator=" + point.communicator + " of " + point.operation,
                            point};
    if (communicator.facts.argument.empty() && !argument.empty())
      refuse(asked, "takes no value; write " + std::string(name));
    const std::vector<Group> groups = communicator.groups(asked);
    for (const Group& group : groups) {
      if (static_cast<int>(group.size()) >= std::max(1, info.min_ranks)) continue;
      lack(asked, "leaves a group of " + std::to_string(group.size()) + " ranks; the operation needs at least " +
                      std::to_string(std::max(1, info.min_ranks)) + ", so launch more");
    }
    return groups;
  }
  throw InputError("communicator=" + point.communicator + " is not known" + did_you_mean(name, names) +
                   "; choose from " + join(names, ", "));
}

}  // namespace groma
