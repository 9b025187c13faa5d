// What an operation has to have. `entry_of` asks for each part by itself, so that the compiler's first error is the
// sentence about the part that is missing, and not a line inside a loop.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "groma/info.hpp"

namespace groma {

template <class Timed>
concept HasInfo = requires {
  { Timed::info } -> std::convertible_to<const Info&>;
};
template <class Timed>
concept HasPlace = requires(Timed timed, const Site& site, const Buffers& buffers) {
  timed.site = site;
  timed.buffers = buffers;
};
template <class Timed>
concept HasStep = requires(Timed timed) {
  { timed.step() }
  noexcept->std::same_as<void>;
};
/// Its options, if it has a type for them, are a member of that type.
template <class Timed>
concept HoldsOptions = !requires {
  typename Timed::Options;
}
|| requires(Timed timed) { requires std::same_as<decltype(timed.options), typename Timed::Options>; };
/// A hook that is there, and cannot be called, would never be.
template <class Timed>
concept HooksFit = (
                       !requires { &Timed::open; } || requires(Timed timed) { timed.open(); }) &&
                   (
                       !requires { &Timed::bind; } || requires(Timed timed) { timed.bind(); }) &&
                   (
                       !requires { &Timed::close; } || requires(Timed timed) { timed.close(); }) &&
                   (!Timed::info.one_sided || requires(Timed timed) {
                     timed.expose();
                     timed.deliver();
                   });
template <class Timed>
concept TrafficFits =
    (
        !requires { &Timed::bytes_moved; } || requires(const Shape& shape) { Timed::bytes_moved(shape); } ||
        requires(const Shape& shape, const typename Timed::Options& options) { Timed::bytes_moved(shape, options); }) &&
    (
        !requires { &Timed::messages; } || requires(const Shape& shape) { Timed::messages(shape); } ||
        requires(const Shape& shape, const typename Timed::Options& options) { Timed::messages(shape, options); });
/// Parts that it times itself: one repetition behind the other, as many as were taken.
template <class Timed>
concept KeepsPhases = !requires {
  Timed::phases;
}
|| requires(Timed timed) {
  { timed.taken } -> std::same_as<std::int64_t&>;
  { timed.phase_ns[0] } -> std::same_as<std::int64_t&>;
};

template <class Timed>
concept Timeable = HasInfo<Timed> && HasPlace<Timed> && HasStep<Timed> && HoldsOptions<Timed> && HooksFit<Timed> &&
    TrafficFits<Timed> && KeepsPhases<Timed>;

/// Stops the compiler with a sentence about the first part that is missing.
template <class Timed>
consteval bool is_operation() {
  static_assert(HasInfo<Timed>, "an operation has `static constexpr groma::Info info{...};`");
  static_assert(HasPlace<Timed>, "an operation has `groma::Site site;` and `groma::Buffers buffers;`");
  static_assert(HasStep<Timed>, "an operation has `void step() noexcept`: one repetition");
  static_assert(HoldsOptions<Timed>, "an operation with a type `Options` has a member `Options options;`");
  static_assert(HooksFit<Timed>,
                "open(), bind() and close() of an operation take no arguments, nor do expose() and deliver(), which a "
                "one-sided one has");
  static_assert(TrafficFits<Timed>,
                "bytes_moved and messages of an operation are static and take `const Shape&`, "
                "and `const Options&` if it has options");
  static_assert(KeepsPhases<Timed>,
                "an operation with `phases` has `std::vector<std::int64_t> phase_ns;` and "
                "`std::int64_t taken = 0;`");
  return Timeable<Timed>;
}

}  // namespace groma
