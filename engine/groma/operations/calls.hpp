// An MPI function in its forms, as template values: the compiler sees which function each loop calls, and calls it
// directly. A pointer that is a member would be an indirect call.
#pragma once

#include <mpi.h>

#include <tuple>
#include <type_traits>

#include "groma/mpi/missing.hpp"

namespace groma {

/// The blocking call, the one that starts a nonblocking one, and the one that makes a persistent request. Each takes
/// the arguments of the first, and then its own. Where the library lacks one, nothing is called.
template <auto Now, auto Start = nullptr, auto Make = nullptr>
struct Calls {
  static constexpr bool nonblocking = !std::is_null_pointer_v<decltype(Start)>;
  static constexpr bool persistent = mpi_4_is_usable && !std::is_null_pointer_v<decltype(Make)>;

  template <class... Arguments>
  static void now(const std::tuple<Arguments...>& all) noexcept {
    std::apply([](auto... one) { Now(one...); }, all);
  }
  template <class... Arguments>
  static void start([[maybe_unused]] const std::tuple<Arguments...>& all,
                    [[maybe_unused]] MPI_Request* request) noexcept {
    if constexpr (nonblocking) std::apply([request](auto... one) { Start(one..., request); }, all);
  }
  template <class... Arguments>
  static void make([[maybe_unused]] const std::tuple<Arguments...>& all,
                   [[maybe_unused]] MPI_Request* request) noexcept {
    if constexpr (persistent) std::apply([request](auto... one) { Make(one..., MPI_INFO_NULL, request); }, all);
  }
};

}  // namespace groma
