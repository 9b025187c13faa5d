#include "groma/launch/loads.hpp"

#include <string>

#include "groma/buffers/arena.hpp"
#include "groma/patterns/available.hpp"
#include "groma/plan/fields.hpp"
#include "groma/record/point_json.hpp"

namespace groma {
namespace {

/// The operation of a load, and how often its `bytes_moved` is sent among `p` ranks: it may be that of one of them.
struct LoadFacts {
  std::string_view operation;
  std::int64_t (*times)(std::int64_t ranks);
};

LoadFacts facts_of(method::Load load) {
  constexpr auto once = [](std::int64_t) { return std::int64_t{1}; };
  switch (load) {
    case method::Load::none:
    case method::Load::silent:
      break;
    case method::Load::alltoall:
      return {"alltoall", [](std::int64_t ranks) { return ranks; }};
    case method::Load::incast:
      return {"incast", once};
    case method::Load::bcast:
      return {"bcast", [](std::int64_t ranks) { return ranks - 1; }};
    case method::Load::bisection:
      return {"bimessage_rate", once};
  }
  return {};
}

/// "list=4,5,6,7"; of pairs, the ranks of the first half each with one of the second.
std::string listed(const std::vector<int>& ranks, bool in_pairs) {
  const std::size_t half = ranks.size() / 2;
  std::string text;
  for (std::size_t at = 0; at < (in_pairs ? 2 * half : ranks.size()); ++at) {
    const std::size_t from = in_pairs ? at / 2 + (at % 2) * half : at;
    text += (text.empty() ? "list=" : ",") + std::to_string(ranks[from]);
  }
  return text;
}

}  // namespace

PlannedLoad planned_load(const Point& point, const std::vector<Entry>& entries, int world_ranks,
                         std::span<const int> node_of_rank) {
  PlannedLoad load;
  if (point.load == method::Load::none) return load;
  load.ranks = loading_ranks(point, world_ranks, node_of_rank);
  const LoadFacts facts = facts_of(point.load);
  if (facts.operation.empty()) return load;
  const Entry& entry = entry_named(entries, facts.operation);
  load.point = default_point(entry.info);
  load.point->pattern = listed(load.ranks, entry.info.parties == Parties::pairs);
  load.point->bytes = point.load_bytes;
  load.point->clock = point.clock;
  for (const Option& option : entry.options) {
    constexpr std::int64_t few = 4;  // messages in flight keep a link busy, and take little memory
    if (option.parameter.name == "window") load.point->parameters.insert_or_assign("window", Value{few});
  }
  load.operation.emplace(entry, load.point->parameters);
  return load;
}

std::int64_t bytes_of_call(const PlannedLoad& load, method::Load kind) {
  const auto ranks = static_cast<std::int64_t>(load.party->members.size());
  const LoadFacts facts = facts_of(kind);
  return facts.times == nullptr ? 0 : facts.times(ranks) * load.operation->bytes_moved(shape_of(*load.point, ranks));
}

}  // namespace groma
