// What was typed, as a plan and where its records go.
#pragma once

#include <string>
#include <vector>

#include "groma/plan/point.hpp"
#include "groma/timed/entry.hpp"

namespace groma {

struct Command {
  enum class Verb { measure, check, help, describe, version };
  Verb verb = Verb::measure;
  Plan plan;
  std::string out;    ///< record file; empty: a table on standard output
  std::string nodes;  ///< placement file; empty: none
  std::string pairs;  ///< that an earlier launch found by patterns that search (PairFinder); empty: none
};

/// What `--check` judges.
struct CheckCommand {
  std::vector<int> ranks;  ///< of the launches
  bool all = false;        ///< every refusal, as JSON lines
  Plan plan;
};

/// True if the arguments ask for something that needs no MPI.
Command::Verb verb_of(const std::vector<std::string>& arguments);

/// What the arguments, or the plan file that they name, ask of the start of MPI. Every process must know it before
/// that; the defaults where nothing can be read.
Beforehand asked_beforehand(const std::vector<std::string>& arguments, const std::vector<Entry>& entries);

/// Reads the arguments and the plan file that they name. Throws InputError.
Command read_command(const std::vector<std::string>& arguments, const std::vector<Entry>& entries);

/// The same of `--check --ranks N[,N...] [--all]` and a plan, or the operations and fields of one. Throws InputError.
CheckCommand read_check(std::vector<std::string> arguments, const std::vector<Entry>& entries);

}  // namespace groma
