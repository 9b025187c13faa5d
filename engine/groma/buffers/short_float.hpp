// Floating-point numbers of 16 bits, whose arithmetic is that of single precision, rounded.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace groma {

/// A sign, an exponent and `mantissa` bits: 10 make IEEE 754's binary16, 7 make bfloat16.
template <int mantissa>
class ShortFloat {
 public:
  /// All whole numbers up to this one are exact.
  static constexpr int largest_exact = 2 << mantissa;

  ShortFloat() = default;
  explicit ShortFloat(float value) : bits_(bits_of(value)) {}
  static ShortFloat of_bits(std::uint16_t bits) {
    ShortFloat made;
    made.bits_ = bits;
    return made;
  }

  explicit operator float() const {
    const int exponent = (bits_ & 0x7FFFU) >> static_cast<unsigned>(mantissa);
    const int rest = bits_ & (whole - 1);
    const float size = exponent == exponents - 1 ? std::numeric_limits<float>::infinity()
                       : exponent == 0           ? std::ldexp(static_cast<float>(rest), least - mantissa)
                                       : std::ldexp(static_cast<float>(whole + rest), least - 1 + exponent - mantissa);
    return (bits_ & sign_bit) == 0 ? size : -size;
  }
  explicit operator double() const { return static_cast<double>(static_cast<float>(*this)); }
  friend ShortFloat operator+(ShortFloat one, ShortFloat other) {
    return ShortFloat(static_cast<float>(one) + static_cast<float>(other));
  }
  friend bool operator<(ShortFloat one, ShortFloat other) {
    return static_cast<float>(one) < static_cast<float>(other);
  }
  friend bool operator==(ShortFloat one, ShortFloat other) { return one.bits_ == other.bits_; }

 private:
  static constexpr int whole = 1 << mantissa;
  static constexpr int exponents = 1 << (15 - mantissa);
  static constexpr int least = 2 - exponents / 2;  ///< exponent of the smallest normal number
  static constexpr std::uint16_t sign_bit = 0x8000U;

  /// Rounds to the nearest, to even between two; what is too large is infinite.
  static std::uint16_t bits_of(float value) {
    const std::uint16_t sign = std::signbit(value) ? sign_bit : 0;
    constexpr int infinite = (exponents - 1) * whole;
    if (!std::isfinite(value)) return static_cast<std::uint16_t>(sign + infinite);
    int exponent = 0;
    const float size = std::frexp(std::fabs(value), &exponent);
    const int kept = size == 0 ? least : std::max(exponent - 1, least);
    const float steps = std::nearbyint(std::ldexp(size, exponent - kept + mantissa));
    const int bits = (kept - least) * whole + static_cast<int>(steps);
    return static_cast<std::uint16_t>(sign + std::min(bits, infinite));
  }

  std::uint16_t bits_ = 0;
};

using Float16 = ShortFloat<10>;
using BFloat16 = ShortFloat<7>;

}  // namespace groma
