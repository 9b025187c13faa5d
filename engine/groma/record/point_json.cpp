#include "groma/record/point_json.hpp"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "groma/text/words.hpp"

namespace groma {

using Json = nlohmann::ordered_json;

Json value_json(const Value& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

namespace {

template <class Owner>
void add_fields(Json& out, const Owner& owner, std::span<const Field<Owner>> fields) {
  for (const auto& field : fields) {
    out[std::string(field.name)] = value_json(field.read(&owner, field));
  }
}

std::string text_of(const Json& value, const std::string& where) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number_integer()) return value.dump();
  if (value.is_number()) return plain_number(value.get<double>());
  throw InputError(where + " is neither a number, a word, nor true or false");
}

/// What `action` returns; an InputError of it says where.
template <class Action>
auto located(const std::string& where, Action action) {
  try {
    return action();
  } catch (const InputError& error) {
    throw InputError(where + error.what());
  }
}

[[noreturn]] void refuse_field(const std::string& name, const std::vector<std::string_view>& names,
                               const std::string& where) {
  throw InputError(where + "'" + name + "' is not a field" + did_you_mean(name, names) +
                   "; groma-engine --help lists the fields");
}

void set_from_json(Plan& plan, const std::string& name, const Json& value, const std::string& where) {
  std::vector<std::string_view> names;
  for (const auto& field : plan_fields()) {
    names.push_back(field.name);
    if (field.name != name) continue;
    located(where, [&] { set_field(plan, field, text_of(value, name)); });
    return;
  }
  refuse_field(name, names, where);
}

void set_from_json(Point& point, std::span<const Parameter> parameters, const std::string& name, const Json& value,
                   const std::string& where) {
  if (located(where, [&] { return set_by_name(point, parameters, name, text_of(value, name)); })) return;
  std::vector<std::string_view> names;
  for (const Parameter& one : settable(parameters)) names.push_back(one.name);
  refuse_field(name, names, where);
}

/// What a point says of a parameter.
Value value_of(const Point& point, const Entry& entry, const Parameter& parameter) {
  const auto set = point.parameters.find(parameter.name);
  if (set != point.parameters.end()) return set->second;
  for (const Option& own : entry.options) {
    if (own.parameter.name == parameter.name) return read_value(parameter, own.default_text);
  }
  return read_value(parameter, parameter.default_text);
}

Point point_from_json(const Json& object, const std::string& where, const std::vector<Entry>& entries,
                      std::span<const Parameter> parameters) {
  if (!object.is_object()) throw InputError(where + "is not an object of fields");
  const auto operation = object.find("operation");
  if (operation == object.end() || !operation->is_string()) throw InputError(where + "names no operation");
  Point point = located(where, [&] { return default_point(entry_named(entries, operation->get<std::string>()).info); });
  for (const auto& [name, value] : object.items()) {
    if (name != "operation") set_from_json(point, parameters, name, value, where);
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
  } catch (const Json::out_of_range&) {
    throw InputError(source + ": a number is larger than 1.8e308; write a smaller one");
  }
}

}  // namespace

Json point_json(const Point& point, const std::vector<Entry>& entries) {
  const Entry& entry = entry_named(entries, point.operation);
  Json out = Json::object();
  add_fields(out, point, payload_fields());
  for (const Parameter& one : parameters_of(entries)) {
    out[std::string(one.name)] = value_json(value_of(point, entry, one));
  }
  add_fields(out, point, method_fields());
  return out;
}

bool is_utf8(const std::string& text) {
  try {
    static_cast<void>(Json(text).dump());
    return true;
  } catch (const Json::type_error&) {
    return false;
  }
}

Json plan_json(const Plan& plan, const std::vector<Entry>& entries) {
  Json out{{"schema", 1}};
  add_fields(out, plan, plan_fields());
  out["points"] = Json::array();
  for (const Point& point : plan.points) out["points"].push_back(point_json(point, entries));
  return out;
}

Plan plan_from_json(const std::string& text, const std::string& source, const std::vector<Entry>& entries) {
  const Json json = parse_or_throw(text, source);
  if (!json.is_object() || json.value("schema", Json()) != 1) {
    throw InputError(source + ": no plan of schema 1; write {\"schema\": 1, \"points\": [...]}");
  }
  Plan plan = default_plan();
  for (const auto& [name, value] : json.items()) {
    if (name != "schema" && name != "points") set_from_json(plan, name, value, source + ": ");
  }
  const auto points = json.find("points");
  if (points == json.end() || !points->is_array() || points->empty()) {
    throw InputError(source + ": the plan has no points; write at least {\"operation\": \"pingpong\"}");
  }
  const std::vector<Parameter> parameters = parameters_of(entries);
  for (const Json& point : *points) {
    const std::string where = source + ", point " + std::to_string(plan.points.size()) + ": ";
    plan.points.push_back(point_from_json(point, where, entries, parameters));
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

Configured configured(const std::vector<Entry>& entries, const Point& point) {
  return {entry_named(entries, point.operation), point.parameters, touches_inside(point)};
}

std::string thread_level_of(const Plan& plan, const std::vector<Entry>& entries) {
  const bool several =
      std::ranges::any_of(plan.points, [&](const Point& point) { return configured(entries, point).threads() > 1; });
  const char* least = std::getenv("GROMA_THREAD_LEVEL");
  if (several) return "multiple";
  if (least == nullptr) return plan.thread_level;
  Plan other = default_plan();
  set_from_json(other, "thread_level", least, "GROMA_THREAD_LEVEL: ");
  const auto fields = plan_fields();
  const auto field = std::ranges::find(fields, "thread_level", &Field<Plan>::name);
  const bool more = choice_index(*field, other.thread_level) > choice_index(*field, plan.thread_level);
  return more ? other.thread_level : plan.thread_level;
}

Beforehand beforehand_of(const Plan& plan, const std::vector<Entry>& entries) {
  return {.thread_level = thread_level_of(plan, entries),
          .cpus = plan.cpus,
          .first_messages = std::ranges::any_of(
              plan.points, [&](const Point& point) { return entry_named(entries, point.operation).after_init; })};
}

}  // namespace groma
