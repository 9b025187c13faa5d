// Checks that a plan can be run on a number of ranks: without MPI, and without measuring.
#pragma once

#include <string>
#include <vector>

#include "groma/launch/command_line.hpp"
#include "groma/timed/entry.hpp"

namespace groma {

/// A point that can't be run, and what a run would say of it.
struct Refusal {
  std::size_t index = 0;  ///< of the point in the plan
  int ranks = 0;          ///< of the launch
  std::string message;
};

/// The points of the plan that are refused, for each of the rank counts. What only a launch can know (its nodes, its
/// CPUs, its library) is left to the launch.
std::vector<Refusal> refusals(const CheckCommand& asked, const std::vector<Entry>& entries);

/// The program `groma-engine --check`: 0 if everything can be run, else 2. Prints the first refusal as a run would,
/// or with `--all` one JSON line for each on standard output.
int check_plan(const std::vector<std::string>& arguments, const std::vector<Entry>& entries);

}  // namespace groma
