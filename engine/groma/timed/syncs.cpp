#include "groma/timed/syncs.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "groma/clock/readings.hpp"

namespace groma {
namespace {

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

template <class Clock>
[[gnu::flatten]] void synchronise_before(const Meeting& meeting, std::int64_t repetition) noexcept {
  [&]<class... Sync>(std::tuple<Sync...>*) {
    std::size_t place = 0;
    (void)((place++ == meeting.sync && (Sync::template wait<Clock>(meeting, repetition), true)) || ...);
  }(static_cast<Syncs*>(nullptr));
}

template <class Clock>
[[gnu::flatten]] bool synchronise_after(const Meeting& meeting, std::int64_t repetition) noexcept {
  return [&]<class... Sync>(std::tuple<Sync...>*) {
    std::size_t place = 0;
    return ((place++ == meeting.sync && Sync::template after<Clock>(meeting, repetition)) || ...);
  }(static_cast<Syncs*>(nullptr));
}

SyncCalls sync_calls(std::size_t clock) {
  return []<class... Clock>(std::tuple<Clock...>*) {
    return std::array<SyncCalls, clock_count>{SyncCalls{&synchronise_before<Clock>, &synchronise_after<Clock>}...};
  }(static_cast<Clocks*>(nullptr))[clock];
}

template void synchronise_before<Slowed>(const Meeting& meeting, std::int64_t repetition) noexcept;
template bool synchronise_after<Slowed>(const Meeting& meeting, std::int64_t repetition) noexcept;

}  // namespace groma
