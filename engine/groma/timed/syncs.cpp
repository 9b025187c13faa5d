#include "groma/timed/syncs.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "groma/clock/readings.hpp"

namespace groma {
namespace {

template <class Clock>
constexpr auto calls_with_clock() {
  return []<class... Sync>(std::tuple<Sync...>*) {
    return std::array<SyncCalls, sizeof...(Sync)>{
        SyncCalls{&Sync::template wait<Clock>, &Sync::template after<Clock>}...};
  }(static_cast<Syncs*>(nullptr));
}

/// True if the choices are named as these types are, in their order; there may be more choices than types.
template <class... Each>
constexpr bool in_order_of(std::span<const Choice> choices, std::tuple<Each...>*) {
  constexpr std::array<std::string_view, sizeof...(Each)> names{Each::name...};
  return std::ranges::equal(names, choices.first(names.size()), {}, {}, &Choice::name);
}

static_assert(in_order_of(choices_of(method::Clock{}), static_cast<Clocks*>(nullptr)));
static_assert(std::size(method::clocks) == clock_count);
static_assert(in_order_of(choices_of(method::Sync{}), static_cast<Syncs*>(nullptr)));
static_assert(sync_index(method::Sync::automatic) == sync_count);

}  // namespace

SyncCalls sync_calls(std::size_t clock, std::size_t sync) {
  static const auto table = []<class... Clock>(std::tuple<Clock...>*) {
    return std::array<std::array<SyncCalls, sync_count>, clock_count>{calls_with_clock<Clock>()...};
  }(static_cast<Clocks*>(nullptr));
  return table[clock][sync];
}

}  // namespace groma
