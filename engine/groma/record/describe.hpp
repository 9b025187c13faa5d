// The engine's description of itself: JSON for programs, help for people. Both are made from the same tables.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "groma/timed/entry.hpp"

namespace groma {

nlohmann::ordered_json describe(const std::vector<Entry>& entries);
/// The version of the engine, as in the project's CMakeLists.txt.
std::string engine_version();

std::string help(const std::vector<Entry>& entries);

}  // namespace groma
