// Checks that a point can be run as asked with a number of ranks. The whole plan is checked before anything is timed.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "groma/errors.hpp"
#include "groma/plan/point.hpp"
#include "groma/timed/entry.hpp"

namespace groma {

/// An operation whose calls the library of this engine has not got.
struct LackingError : InputError {
  using InputError::InputError;
};

/// Throws InputError with what is wrong, where, and what to do. `node_of_rank` is empty before it is known.
void validate(const Point& point, const Entry& entry, int world_ranks, std::span<const int> node_of_rank = {});

/// Why a point with `optional` is left out; empty if it can be run. Throws InputError if it can't and must.
std::string unfit(const Point& point, const std::vector<Entry>& entries, int world_ranks,
                  std::span<const int> node_of_rank = {});

/// True if the engine's library has the calls of any point of the plan.
bool library_has_any(const Plan& plan, const std::vector<Entry>& entries);

}  // namespace groma
