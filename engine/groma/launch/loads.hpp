// The loads of the points of a plan: who makes them, and what they are.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "groma/measure/party.hpp"
#include "groma/plan/point.hpp"
#include "groma/timed/entry.hpp"

namespace groma {

struct PlannedLoad {
  std::vector<int> ranks;      ///< world ranks that are split off, in ascending order; none without a load
  std::optional<Point> point;  ///< what they do; nothing if they sleep
  std::optional<Configured> operation;
  std::shared_ptr<const Party> party;  ///< those that do it
};

/// The load of a point, without its party. Throws InputError if it can't be had.
PlannedLoad planned_load(const Point& point, const std::vector<Entry>& entries, int world_ranks,
                         std::span<const int> node_of_rank);

/// What all its ranks together send in one call.
std::int64_t bytes_of_call(const PlannedLoad& load, method::Load kind);

}  // namespace groma
