#include "groma/patterns/available.hpp"

#include <algorithm>
#include <map>

#include "groma/errors.hpp"
#include "groma/plan/fields.hpp"
#include "groma/random.hpp"
#include "groma/text/words.hpp"

namespace groma {
namespace {

std::vector<int> first_of_nodes(const Point& point, int ranks, std::span<const int> node_of_rank) {
  std::vector<int> found;
  std::map<int, std::int64_t> on_node;
  const bool all_of_them = point.ranks_per_node == 0 || node_of_rank.empty();
  for (int rank = 0; rank < ranks; ++rank) {
    if (all_of_them || ++on_node[node_of_rank[static_cast<std::size_t>(rank)]] <= point.ranks_per_node) {
      found.push_back(rank);
    }
  }
  for (const auto& [node, count] : on_node) {
    if (count > point.ranks_per_node) continue;
    throw UnfitError("ranks_per_node=" + std::to_string(point.ranks_per_node) + " of " + point.operation +
                     " needs more ranks than the " + std::to_string(count) +
                     " of a node; use fewer, or ranks_per_node=0 for all of them");
  }
  return found;
}

/// How many of `ranks` ranks load.
std::size_t loading_count(const Point& point, std::size_t ranks) {
  constexpr std::size_t least = 2;
  const std::string what = "load=" + name_of(point.load) + " of " + point.operation;
  if (ranks < 2 * least) {
    throw UnfitError(what + " needs at least 4 ranks, 2 that load and 2 that are measured, and has " +
                     std::to_string(ranks) + "; launch it with -n 4 or more");
  }
  const auto count = static_cast<std::size_t>(point.load_share * static_cast<double>(ranks));
  if (count < least || ranks - count < least) {
    throw UnfitError("load_share=" + plain_number(point.load_share) + " of " + point.operation + " with " +
                     std::to_string(ranks) + " ranks leaves " + std::to_string(count) + " that load and " +
                     std::to_string(ranks - count) + " that are measured; use a share that leaves 2 or more of each");
  }
  return count;
}

}  // namespace

Split available(const Point& point, int ranks, std::span<const int> node_of_rank) {
  Split split{.measured = first_of_nodes(point, ranks, node_of_rank), .loading = {}};
  if (point.load == method::Load::none) return split;
  std::vector<int>& all = split.measured;
  const std::size_t count = loading_count(point, all.size());
  if (point.load_ranks == method::LoadRanks::random) {
    std::uint64_t state = point.drawn_from;
    for (std::size_t left = all.size(); left > 1; --left) std::swap(all[left - 1], all[next_random(state) % left]);
  }
  const auto from = all.end() - static_cast<std::ptrdiff_t>(count);
  split.loading.assign(from, all.end());
  all.erase(from, all.end());
  std::sort(all.begin(), all.end());
  std::sort(split.loading.begin(), split.loading.end());
  return split;
}

std::vector<int> loading_ranks(const Point& point, int world_ranks, std::span<const int> node_of_rank) {
  return available(point, point.ranks == 0 ? world_ranks : static_cast<int>(point.ranks), node_of_rank).loading;
}

}  // namespace groma
