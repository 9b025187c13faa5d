// The one table of everything that can be asked for. Plan parsing, options, validation, help and --describe read it.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "groma/errors.hpp"
#include "groma/info.hpp"
#include "groma/parameter.hpp"
#include "groma/plan/point.hpp"

namespace groma {

/// A member of a point or plan, and what can be set there.
template <class Owner>
struct Field : Parameter {
  void (*assign)(void* owner, const Parameter& parameter, const Value& value);
  Value (*read)(const void* owner, const Parameter& parameter);
};

/// The fields that every point has: who takes part with what payload, and by which method.
std::span<const Field<Point>> payload_fields();
std::span<const Field<Point>> method_fields();
std::span<const Field<Plan>> plan_fields();

/// All that can be set in a point, in the order of help, --describe and records: the fields that every point has, and
/// between them the parameters of operations.
std::vector<Parameter> settable(std::span<const Parameter> parameters);

/// Sets what has this name, a field or one of the parameters; false if nothing has. Throws InputError as set_field.
bool set_by_name(Point& point, std::span<const Parameter> parameters, std::string_view name, std::string_view text);

/// Sets one field from text ("8", "1K", "shuffled", "true"); throws InputError naming the field and what is allowed.
template <class Owner>
void set_field(Owner& owner, const Field<Owner>& field, std::string_view text);

/// The field's value as text, in the form that set_field reads.
template <class Owner>
std::string field_text(const Owner& owner, const Field<Owner>& field);

/// Defaults that differ from the field table for this operation, by field name.
std::map<std::string_view, std::string_view> operation_defaults(const Info& info);

/// A point of this operation with every field and parameter at its default.
Point default_point(const Info& info);

/// A plan without points, its fields at their defaults.
Plan default_plan();

std::string_view type_name(Type type);

}  // namespace groma
