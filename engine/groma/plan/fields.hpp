// The one table of everything that can be asked for. Plan parsing, options, validation, help and --describe read it.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "groma/errors.hpp"
#include "groma/info.hpp"
#include "groma/plan/point.hpp"

namespace groma {

/// Something that needs more ranks or nodes than were launched: a point with `optional` is left out instead.
struct UnfitError : InputError {
  using InputError::InputError;
};

struct Choice {
  std::string_view name;
  std::string_view help;
};

enum class Type { choice, integer, size, number, boolean, text };

template <class Owner>
struct Field {
  using Member = std::variant<std::string Owner::*, std::int64_t Owner::*, double Owner::*, bool Owner::*>;
  std::string_view name;
  Type type;
  Member member;
  std::string_view default_text;
  std::string_view unit;
  double minimum;
  double maximum;
  std::span<const Choice> choices;
  std::string_view help;
};

std::span<const Field<Point>> point_fields();
std::span<const Field<Plan>> plan_fields();

/// Sets one field from text ("8", "1K", "shuffled", "true"); throws InputError naming the field and what is allowed.
template <class Owner>
void set_field(Owner& owner, const Field<Owner>& field, std::string_view text);

/// The field's value as text, in the form that set_field reads.
template <class Owner>
std::string field_text(const Owner& owner, const Field<Owner>& field);

/// Defaults that differ from the field table for this operation, by field name.
std::map<std::string_view, std::string_view> operation_defaults(const Info& info);

/// A point of this operation with every field at its default.
Point default_point(const Info& info);

/// A plan without points, its fields at their defaults.
Plan default_plan();

/// The fields of a plan that every process must know before MPI starts, and their values.
constexpr std::string_view beforehand_fields[] = {"thread_level", "cpus"};
Beforehand beforehand_of(const Plan& plan);

std::string_view type_name(Type type);

}  // namespace groma
