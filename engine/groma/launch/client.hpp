// Who has a launch made.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "groma/launch/after_end.hpp"
#include "groma/launch/command_line.hpp"

namespace groma {

/// Says what is to be measured, and hears of every point that was. Both on rank 0 alone.
struct Client {
  std::function<Command()> ask;
  std::function<void(const nlohmann::ordered_json&)> hear = {};  ///< empty: a table, unless records are written
  Beforehand beforehand = {};                                    ///< with which this process started MPI
  std::string unbound = {};                                      ///< why it is not on its CPU; empty if it is
  AfterEnd* last = nullptr;  ///< what it writes when MPI has ended; null if its program goes on after the launch
};

}  // namespace groma
