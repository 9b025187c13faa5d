// Checks that a point can be run as asked with a number of ranks. The whole plan is checked before anything is timed.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "groma/plan/point.hpp"
#include "groma/timed/entry.hpp"

namespace groma {

/// Throws InputError with what is wrong, where, and what to do. `node_of_rank` is empty before it is known.
void validate(const Point& point, const Entry& entry, int world_ranks, std::span<const int> node_of_rank = {});

/// Why a point with `optional` is left out; empty if it can be run. Throws InputError if it can't and must.
std::string unfit(const Point& point, const std::vector<Entry>& entries, int world_ranks,
                  std::span<const int> node_of_rank = {});

}  // namespace groma
