// The elements of messages, by the type that a point's field names.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include "groma/buffers/short_float.hpp"

namespace groma {

/// What MPI_MINLOC and MPI_MAXLOC reduce.
template <class Value>
struct At {
  Value value;
  int place;
  friend bool operator==(const At& one, const At& other) {
    return one.value == other.value && one.place == other.place;
  }
};

template <class Element>
inline constexpr bool is_pair = false;
template <class Value>
inline constexpr bool is_pair<At<Value>> = true;
template <class Element>
inline constexpr bool is_complex = false;
template <class Part>
inline constexpr bool is_complex<std::complex<Part>> = true;
template <class Element>
inline constexpr bool is_short_float = false;
template <int mantissa>
inline constexpr bool is_short_float<ShortFloat<mantissa>> = true;
/// Numbers that have a greatest.
template <class Element>
inline constexpr bool is_ordered = std::is_arithmetic_v<Element> || is_short_float<Element>;

/// The element that stands for a value of 64 to 127. Both of its parts, if it has two, depend on it and differ.
template <class Element>
constexpr Element element_of(std::int64_t value) {
  constexpr std::int64_t both = 64 + 127;
  if constexpr (is_pair<Element>) {
    return {static_cast<decltype(Element::value)>(value), static_cast<int>(both - value)};
  } else if constexpr (is_complex<Element>) {
    using Part = typename Element::value_type;
    return {static_cast<Part>(value), static_cast<Part>(both - value)};
  } else if constexpr (is_short_float<Element>) {
    return Element(static_cast<float>(value));
  } else {
    return static_cast<Element>(value);
  }
}

/// A number for sentences and sums: that of both parts, the second weighing less.
template <class Element>
constexpr double number_of(const Element& element) {
  constexpr double weight = 1.0 / 1024;
  if constexpr (is_pair<Element>) {
    return static_cast<double>(element.value) + weight * element.place;
  } else if constexpr (is_complex<Element>) {
    return static_cast<double>(element.real()) + weight * static_cast<double>(element.imag());
  } else {
    return static_cast<double>(element);
  }
}

}  // namespace groma
