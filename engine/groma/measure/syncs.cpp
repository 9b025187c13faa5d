#include "groma/measure/syncs.hpp"

#include <array>
#include <stdexcept>
#include <string>

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

}  // namespace

std::size_t sync_index(std::string_view name) {
  constexpr auto names = []<class... Sync>(std::tuple<Sync...>*) {
    return std::array<std::string_view, sizeof...(Sync)>{Sync::name...};
  }(static_cast<Syncs*>(nullptr));
  for (std::size_t index = 0; index < names.size(); ++index) {
    if (names[index] == name) return index;
  }
  throw std::logic_error("no synchronisation named " + std::string(name));
}

SyncCalls sync_calls(std::size_t clock, std::size_t sync) {
  static const auto table = []<class... Clock>(std::tuple<Clock...>*) {
    return std::array<std::array<SyncCalls, sync_count>, clock_count>{calls_with_clock<Clock>()...};
  }(static_cast<Clocks*>(nullptr));
  return table[clock][sync];
}

}  // namespace groma
