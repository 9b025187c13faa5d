#include "groma/record/point_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "groma/plan/words.hpp"

namespace groma {
namespace {

using Json = nlohmann::ordered_json;

template <class Owner>
void add_fields(Json& out, const Owner& owner, std::span<const Field<Owner>> fields) {
  for (const auto& field : fields) {
    std::visit([&](auto member) { out[std::string(field.name)] = owner.*member; }, field.member);
  }
}

std::string text_of(const Json& value, const std::string& where) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number_integer()) return std::to_string(value.get<std::int64_t>());
  if (value.is_number()) return plain_number(value.get<double>());
  throw InputError(where + " is neither a number, a word, nor true or false");
}

template <class Owner>
void set_from_json(Owner& owner, std::span<const Field<Owner>> fields, const std::string& name, const Json& value,
                   const std::string& where) {
  std::vector<std::string_view> names;
  for (const auto& field : fields) {
    names.push_back(field.name);
    if (field.name != name) continue;
    try {
      set_field(owner, field, text_of(value, name));
    } catch (const InputError& error) {
      throw InputError(where + error.what());
    }
    return;
  }
  throw InputError(where + "'" + name + "' is not a field" + did_you_mean(name, names) +
                   "; groma-engine --help lists the fields");
}

Point point_from_json(const Json& object, const std::string& where, const std::vector<Entry>& entries) {
  if (!object.is_object()) throw InputError(where + "is not an object of fields");
  const auto operation = object.find("operation");
  if (operation == object.end() || !operation->is_string()) throw InputError(where + "names no operation");
  Point point;
  try {
    point = default_point(entry_named(entries, operation->get<std::string>()).info);
  } catch (const InputError& error) {
    throw InputError(where + error.what());
  }
  for (const auto& [name, value] : object.items()) {
    if (name != "operation") set_from_json(point, point_fields(), name, value, where);
  }
  return point;
}

Json parse_or_throw(const std::string& text, const std::string& source) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const auto line =
        1 +
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size())), '\n');
    throw InputError(source + ", line " + std::to_string(line) +
                     ": this is not JSON; write {\"schema\": 1, \"points\": [...]}");
  }
}

}  // namespace

Json point_json(const Point& point) {
  Json out = Json::object();
  add_fields(out, point, point_fields());
  return out;
}

Json plan_json(const Plan& plan) {
  Json out{{"schema", 1}};
  add_fields(out, plan, plan_fields());
  out["points"] = Json::array();
  for (const Point& point : plan.points) out["points"].push_back(point_json(point));
  return out;
}

Plan plan_from_json(const std::string& text, const std::string& source, const std::vector<Entry>& entries) {
  const Json json = parse_or_throw(text, source);
  if (!json.is_object() || json.value("schema", 0) != 1) {
    throw InputError(source + ": no plan of schema 1; write {\"schema\": 1, \"points\": [...]}");
  }
  Plan plan = default_plan();
  for (const auto& [name, value] : json.items()) {
    if (name != "schema" && name != "points") set_from_json(plan, plan_fields(), name, value, source + ": ");
  }
  const auto points = json.find("points");
  if (points == json.end() || !points->is_array() || points->empty()) {
    throw InputError(source + ": the plan has no points; write at least {\"operation\": \"pingpong\"}");
  }
  for (const Json& point : *points) {
    const std::string where = source + ", point " + std::to_string(plan.points.size()) + ": ";
    plan.points.push_back(point_from_json(point, where, entries));
  }
  return plan;
}

const Entry& entry_named(const std::vector<Entry>& entries, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Entry& entry : entries) {
    if (entry.info.name == name) return entry;
    names.push_back(entry.info.name);
  }
  throw InputError("operation '" + std::string(name) + "' is not known" + did_you_mean(name, names) +
                   "; groma-engine --help lists the operations");
}

const Entry& entry_for(const std::vector<Entry>& entries, const Point& point) {
  const Entry& entry = entry_named(entries, point.operation);
  for (const Entry& other : entry.forms) {
    if (other.form.swap_order == point.swap_order && other.form.swap_overlap == point.swap_overlap) return other;
  }
  return entry;
}

Beforehand beforehand_in(const std::string& text) {
  const Json document = Json::parse(text, nullptr, false);
  Plan plan = default_plan();
  for (const std::string_view name : beforehand_fields) {
    const std::string key(name);
    if (document.is_object() && document.contains(key)) set_from_json(plan, plan_fields(), key, document[key], "");
  }
  return beforehand_of(plan);
}

}  // namespace groma
