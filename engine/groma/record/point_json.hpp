// A point as JSON, and back: the fields of the one table.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "groma/measure/entry.hpp"
#include "groma/plan/fields.hpp"
#include "groma/plan/point.hpp"

namespace groma {

nlohmann::ordered_json point_json(const Point& point);
nlohmann::ordered_json plan_json(const Plan& plan);

/// A plan from text; `source` names it in messages. Throws InputError for anything that is not a plan.
Plan plan_from_json(const std::string& text, const std::string& source, const std::vector<Entry>& entries);

/// The entry of an operation. Throws InputError with the nearest name.
const Entry& entry_named(const std::vector<Entry>& entries, std::string_view name);

/// That entry in the form that a valid point asks for.
const Entry& entry_for(const std::vector<Entry>& entries, const Point& point);

/// The fields of a plan's text that count before MPI starts, looked up before the plan is checked; the defaults where
/// it names none. Throws InputError where a value does not exist.
Beforehand beforehand_in(const std::string& text);

}  // namespace groma
