// An MPI function in its forms, as template values: the compiler sees which function each loop calls, and calls it
// directly. A pointer that is a member would be an indirect call.
#pragma once

#include <mpi.h>

#include <tuple>
#include <type_traits>

#include "groma/info.hpp"
#include "groma/mpi/missing.hpp"

namespace groma {

/// Numbers of elements, one for each block, and where the blocks start.
struct CountedList {
  const int* small = nullptr;
  const MPI_Count* large = nullptr;
};
struct StartList {
  const int* small = nullptr;
  const MPI_Aint* large = nullptr;
};

/// What a call for messages of ordinary length takes for an argument, and what one for large messages does.
template <class Argument>
auto small(Argument argument) noexcept {
  if constexpr (std::is_same_v<Argument, Counted>) {
    return static_cast<int>(argument.number);
  } else if constexpr (std::is_same_v<Argument, CountedList> || std::is_same_v<Argument, StartList>) {
    return argument.small;
  } else {
    return argument;
  }
}
template <class Argument>
auto large(Argument argument) noexcept {
  if constexpr (std::is_same_v<Argument, Counted>) {
    return static_cast<MPI_Count>(argument.number);
  } else if constexpr (std::is_same_v<Argument, CountedList> || std::is_same_v<Argument, StartList>) {
    return argument.large;
  } else {
    return argument;
  }
}

/// The blocking call, the one that starts a nonblocking one, the one that makes a persistent request, and the blocking
/// one with large counts. Each takes the arguments of the first, and then its own. Where the library lacks one, nothing
/// is called.
template <auto Now, auto Start = nullptr, auto Make = nullptr, auto Large = nullptr>
struct Calls {
  static constexpr bool blocking = !std::is_null_pointer_v<decltype(Now)>;
  static constexpr bool nonblocking = !std::is_null_pointer_v<decltype(Start)>;
  static constexpr bool counts_far = !std::is_null_pointer_v<decltype(Large)>;
  static constexpr bool persistent = mpi_4_is_usable && !std::is_null_pointer_v<decltype(Make)>;

  template <class... Arguments>
  static void now([[maybe_unused]] const std::tuple<Arguments...>& all) noexcept {
    if constexpr (blocking) std::apply([](auto... one) { Now(small(one)...); }, all);
  }
  template <class... Arguments>
  static void now_large([[maybe_unused]] const std::tuple<Arguments...>& all) noexcept {
    if constexpr (counts_far) std::apply([](auto... one) { Large(large(one)...); }, all);
  }
  template <class... Arguments>
  static void start([[maybe_unused]] const std::tuple<Arguments...>& all,
                    [[maybe_unused]] MPI_Request* request) noexcept {
    if constexpr (nonblocking) std::apply([request](auto... one) { Start(small(one)..., request); }, all);
  }
  template <class... Arguments>
  static void make([[maybe_unused]] const std::tuple<Arguments...>& all,
                   [[maybe_unused]] MPI_Request* request) noexcept {
    if constexpr (persistent) std::apply([request](auto... one) { Make(small(one)..., MPI_INFO_NULL, request); }, all);
  }
};

}  // namespace groma
