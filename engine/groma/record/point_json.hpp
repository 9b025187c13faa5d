// A point as JSON, and back: its fields, and the parameters of its operation.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "groma/plan/fields.hpp"
#include "groma/plan/point.hpp"
#include "groma/timed/entry.hpp"

namespace groma {

/// Every field of a point, and every parameter of these operations: as set, or with this operation's default.
nlohmann::ordered_json point_json(const Point& point, const std::vector<Entry>& entries);
nlohmann::ordered_json plan_json(const Plan& plan, const std::vector<Entry>& entries);

/// True if these bytes are UTF-8, and so can stand in a document.
bool is_utf8(const std::string& text);

/// A plan from text; `source` names it in messages. Throws InputError for anything that is not a plan.
Plan plan_from_json(const std::string& text, const std::string& source, const std::vector<Entry>& entries);

/// The entry of an operation. Throws InputError with the nearest name.
const Entry& entry_named(const std::vector<Entry>& entries, std::string_view name);

/// The operation of a point, with the options that it asks for.
Configured configured(const std::vector<Entry>& entries, const Point& point);

/// A value as plans and records write it.
nlohmann::ordered_json value_json(const Value& value);

/// The thread level that a plan needs: `multiple` if an operation of it has several threads, else the higher one of
/// what it asks for and GROMA_THREAD_LEVEL. Throws InputError if that names none.
std::string thread_level_of(const Plan& plan, const std::vector<Entry>& entries);

/// What every process must know of a plan before MPI starts.
Beforehand beforehand_of(const Plan& plan, const std::vector<Entry>& entries);

}  // namespace groma
