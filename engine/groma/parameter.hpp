// What can be set: its name, type, unit, default, range, choices and help. A field that every point has is one, and so
// is a parameter of one family of operations, which declares it beside them as a table bound to a plain struct:
//
//   struct SegmentOptions {
//     int segments = 1;
//     static constexpr auto table() {
//       return std::array{option<&SegmentOptions::segments>(parameter::count("segments", "1", "", {1, 4096}, "..."))};
//     }
//   };
//
// An operation that has `using Options = SegmentOptions` and a member `Options options` finds the values there. Plans,
// options, validation, help, records and --describe read the tables.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

namespace groma {

/// One of the values of a choice.
struct Choice {
  std::string_view name;
  std::string_view help;
  bool operator==(const Choice&) const = default;
};

/// Type of a parameter; a size is an integer of bytes, which may be written as 64K.
enum class Type { choice, integer, size, number, boolean, text };

/// Smallest and largest value, both allowed.
struct Range {
  double minimum = 0;
  double maximum = 0;
};

/// Declaration of one parameter; `parameter::count` and its neighbours make it.
struct Parameter {
  std::string_view name;
  Type type = Type::text;
  std::string_view default_text;
  std::string_view unit;
  double minimum = 0;  ///< of integers, sizes and numbers
  double maximum = 0;
  std::span<const Choice> choices;
  std::string_view help;
};

/// True if two declarations say the same.
bool same_parameter(const Parameter& one, const Parameter& other);

namespace parameter {

constexpr Parameter text(std::string_view name, std::string_view standard, std::string_view help) {
  return {name, Type::text, standard, "", 0, 0, {}, help};
}
constexpr Parameter choice(std::string_view name, std::string_view standard, std::span<const Choice> choices,
                           std::string_view help) {
  return {name, Type::choice, standard, "", 0, 0, choices, help};
}
constexpr Parameter count(std::string_view name, std::string_view standard, std::string_view unit, Range range,
                          std::string_view help) {
  return {name, Type::integer, standard, unit, range.minimum, range.maximum, {}, help};
}
constexpr Parameter size(std::string_view name, std::string_view standard, Range range, std::string_view help) {
  return {name, Type::size, standard, "bytes", range.minimum, range.maximum, {}, help};
}
constexpr Parameter number(std::string_view name, std::string_view standard, std::string_view unit, Range range,
                           std::string_view help) {
  return {name, Type::number, standard, unit, range.minimum, range.maximum, {}, help};
}
constexpr Parameter flag(std::string_view name, std::string_view help) {
  return {name, Type::boolean, "false", "", 0, 0, {}, help};
}

}  // namespace parameter

/// A value as plans and records hold it; that of a choice is its name.
using Value = std::variant<std::string, std::int64_t, double, bool>;

/// Reads "8", "1K", "shuffled" or "true"; throws InputError naming the parameter and what is allowed.
Value read_value(const Parameter& parameter, std::string_view text);

/// The value as text, in the form that read_value reads.
std::string value_text(const Value& value);

/// Values by the names of their parameters. One that is not here has its default.
using Settings = std::map<std::string, Value, std::less<>>;

/// A parameter bound to a member of a struct of options. A choice may be an enumeration, in the order of the choices.
struct Option {
  Parameter parameter;
  std::string_view default_text;  ///< of these operations, which may differ from the parameter's
  void (*assign)(void* options, const Parameter& parameter, const Value& value);
  Value (*read)(const void* options, const Parameter& parameter);
};

/// Where the choice of this name stands among the parameter's; the name has been checked.
std::size_t choice_index(const Parameter& parameter, std::string_view name);

template <class Owner, class Held>
Owner owner_of(Held Owner::*);
template <class Owner, class Held>
Held held_by(Held Owner::*);

template <auto Member>
void assign_member(void* options, const Parameter& parameter, const Value& value) {
  using Owner = decltype(owner_of(Member));
  using Held = decltype(held_by(Member));
  Held& member = static_cast<Owner*>(options)->*Member;
  if constexpr (std::is_enum_v<Held>) {
    member = static_cast<Held>(choice_index(parameter, std::get<std::string>(value)));
  } else if constexpr (std::is_integral_v<Held> && !std::is_same_v<Held, bool>) {
    member = static_cast<Held>(std::get<std::int64_t>(value));
  } else {
    member = std::get<Held>(value);
  }
}

template <auto Member>
Value read_member(const void* options, const Parameter& parameter) {
  using Owner = decltype(owner_of(Member));
  using Held = decltype(held_by(Member));
  const Held& member = static_cast<const Owner*>(options)->*Member;
  if constexpr (std::is_enum_v<Held>) {
    return std::string(parameter.choices[static_cast<std::size_t>(member)].name);
  } else if constexpr (std::is_integral_v<Held> && !std::is_same_v<Held, bool>) {
    return static_cast<std::int64_t>(member);
  } else {
    return member;
  }
}

/// Binds a parameter to a member; `standard` is these operations' own default, where they have one.
template <auto Member>
constexpr Option option(const Parameter& parameter, std::string_view standard = {}) {
  return {parameter, standard.empty() ? parameter.default_text : standard, &assign_member<Member>,
          &read_member<Member>};
}

/// Of operations without parameters of their own.
struct NoOptions {
  static constexpr std::array<Option, 0> table() { return {}; }
};

template <class Operation>
struct OptionsType {
  using Type = NoOptions;
};
template <class Operation>
requires requires { typename Operation::Options; }
struct OptionsType<Operation> {
  using Type = typename Operation::Options;
};
/// The struct of an operation's options, empty if it has none.
template <class Operation>
using OptionsOf = typename OptionsType<Operation>::Type;

template <class Options>
inline constexpr auto option_table = Options::table();

/// The options that these settings ask for, with the defaults of all others.
template <class Options>
Options options_of(const Settings& settings) {
  Options options{};
  for (const Option& one : option_table<Options>) {
    const auto set = settings.find(one.parameter.name);
    one.assign(&options, one.parameter,
               set == settings.end() ? read_value(one.parameter, one.default_text) : set->second);
  }
  return options;
}

/// Sets every parameter of these options.
template <class Options>
void set_options(Settings& settings, const Options& options) {
  for (const Option& one : option_table<Options>) {
    settings.insert_or_assign(std::string(one.parameter.name), one.read(&options, one.parameter));
  }
}

}  // namespace groma
