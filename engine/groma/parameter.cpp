#include "groma/parameter.hpp"

#include <algorithm>

#include "groma/errors.hpp"
#include "groma/text/words.hpp"

namespace groma {
namespace {

std::string range_text(double minimum, double maximum) {
  return plain_number(minimum) + " to " + plain_number(maximum);
}

void check_choice(const Parameter& parameter, std::string_view word) {
  std::vector<std::string_view> names;
  for (const Choice& one : parameter.choices) {
    if (one.name == word) return;
    names.push_back(one.name);
  }
  throw InputError(std::string(parameter.name) + "=" + std::string(word) + " is not known" + did_you_mean(word, names) +
                   "; choose from " + join(names, ", "));
}

double read_number(const Parameter& parameter, std::string_view text) {
  const auto value = parameter.type == Type::number ? parse_number(text)
                     : parameter.type == Type::size ? parse_size(text)
                                                    : parse_integer(text);
  if (!value) {
    throw InputError(std::string(parameter.name) + "=" + std::string(text) + " is not a " +
                     (parameter.type == Type::size     ? "size; write bytes such as 8, 1K, 64KiB or 4M"
                      : parameter.type == Type::number ? "number"
                                                       : "whole number"));
  }
  if (*value < parameter.minimum || *value > parameter.maximum) {
    throw InputError(std::string(parameter.name) + "=" + std::string(text) + " is out of range; allowed is " +
                     range_text(parameter.minimum, parameter.maximum) + (parameter.unit.empty() ? "" : " ") +
                     std::string(parameter.unit));
  }
  return *value;
}

bool read_flag(const Parameter& parameter, std::string_view text) {
  if (text != "true" && text != "false") {
    throw InputError(std::string(parameter.name) + "=" + std::string(text) + " is neither true nor false");
  }
  return text == "true";
}

}  // namespace

bool same_parameter(const Parameter& one, const Parameter& other) {
  return one.name == other.name && one.type == other.type && one.default_text == other.default_text &&
         one.unit == other.unit && one.minimum == other.minimum && one.maximum == other.maximum &&
         std::ranges::equal(one.choices, other.choices) && one.help == other.help;
}

Value read_value(const Parameter& parameter, std::string_view text) {
  switch (parameter.type) {
    case Type::choice:
      check_choice(parameter, text);
      return std::string(text);
    case Type::text:
      return std::string(text);
    case Type::boolean:
      return read_flag(parameter, text);
    case Type::integer:
    case Type::size:
      return static_cast<std::int64_t>(read_number(parameter, text));
    case Type::number:
      return read_number(parameter, text);
  }
  return std::string(text);
}

std::string value_text(const Value& value) {
  return std::visit(
      []<class Held>(const Held& held) -> std::string {
        if constexpr (std::is_same_v<Held, std::string>) {
          return held;
        } else if constexpr (std::is_same_v<Held, bool>) {
          return held ? "true" : "false";
        } else {
          return plain_number(static_cast<double>(held));
        }
      },
      value);
}

std::size_t choice_index(const Parameter& parameter, std::string_view name) {
  const auto found = std::ranges::find_if(parameter.choices, [&](const Choice& choice) { return choice.name == name; });
  return static_cast<std::size_t>(found - parameter.choices.begin());
}

}  // namespace groma
