// What the documents hold, for --describe.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace groma::schema {

/// Every kind of object in points.jsonl and nodes.json, with its members: records first, then their parts.
nlohmann::ordered_json describe_kinds();

}  // namespace groma::schema
