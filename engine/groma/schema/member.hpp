// What a document holds, declared once: a plain struct and the table of its members. Its JSON is written from the table
// and `--describe` prints it, so that no member is written that is not described:
//
//   struct Memory {
//     std::int64_t needed_bytes = 0;
//     std::int64_t available_bytes = 0;
//     static constexpr std::string_view kind = "memory";
//     static constexpr std::string_view help = "Memory of the node that comes closest to its limit.";
//     static constexpr auto table() {
//       return std::tuple{member("needed_bytes", &Memory::needed_bytes, "arrays of its ranks"),
//                         member("available_bytes", &Memory::available_bytes, "what the system can give")};
//     }
//   };
//
// A member is a number, a truth value, a text, a struct of this form, or a list or map of these. Its type says what the
// JSON holds: of std::optional it may be null. The unit of a number is in its name.
#pragma once

#include <array>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace groma::schema {

/// Values by name, in the order in which they were added.
template <class Value>
using Named = std::vector<std::pair<std::string, Value>>;

template <class Owner, class Held>
struct Member {
  using Type = Held;
  std::string_view name;
  Held Owner::*at;
  std::string_view help;
  bool left_out = false;  ///< if it has no value, instead of null
};

template <class Owner, class Held>
constexpr Member<Owner, Held> member(std::string_view name, Held Owner::*at, std::string_view help) {
  return {name, at, help, false};
}

/// A member that only some of these objects have: it is left out if it has no value.
template <class Owner, class Held>
constexpr Member<Owner, std::optional<Held>> some_have(std::string_view name, std::optional<Held> Owner::*at,
                                                       std::string_view help) {
  return {name, at, help, true};
}

template <class T>
concept Kind = requires {
  { T::kind } -> std::convertible_to<std::string_view>;
  { T::help } -> std::convertible_to<std::string_view>;
  T::table();
};

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;
template <class T, std::size_t n>
inline constexpr bool is_list<std::array<T, n>> = true;

template <class T>
inline constexpr bool is_named = false;
template <class T>
inline constexpr bool is_named<Named<T>> = true;

template <Kind T, class Action>
constexpr void each_member(const Action& action) {
  std::apply([&](const auto&... one) { (action(one), ...); }, T::table());
}

template <class Owner, class Held>
Owner owner_of(Held Owner::*);

/// The name under which a member of a struct is written.
template <auto At>
consteval std::string_view name_of() {
  using Owner = decltype(owner_of(At));
  std::string_view found;
  each_member<Owner>([&](const auto& one) {
    if constexpr (std::is_same_v<decltype(one.at), std::remove_const_t<decltype(At)>>) {
      if (one.at == At) found = one.name;
    }
  });
  if (found.empty()) throw "this member is not in its struct's table";  // does not compile
  return found;
}

}  // namespace groma::schema
