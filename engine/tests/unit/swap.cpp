#include "groma/operations/swap.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <stdexcept>
#include <string>

#include "groma/launch/validate.hpp"
#include "groma/plan/fields.hpp"
#include "groma/record/point_json.hpp"

namespace groma {
namespace {

using swap::Order;
constexpr Order every_order[] = {Order::ordered, Order::simple, Order::delayed};

Point asked(const Entry& entry, const SwapOptions& options) {
  Point point = default_point(entry.info);
  set_options(point.parameters, options);
  return point;
}

/// What the catalogue says of a swap's protocol.
template <class Held>
Held fact(const Entry& entry, std::string_view name) {
  for (const auto& [known, value] : entry.facts.facts) {
    if (known == name) return std::get<Held>(value);
  }
  throw std::logic_error("no such fact");
}

bool legal(const Point& point, const Entry& entry) {
  try {
    validate(point, entry, 4);
  } catch (const InputError&) {
    return false;
  }
  return true;
}

/// COMMTEST's numbers of the protocols for which `test` holds.
std::set<int> protocols(const std::function<bool(const Entry&)>& test) {
  std::set<int> numbers;
  for (const Entry& entry : catalogue()) {
    if (entry.facts.family != "swap" || !test(entry)) continue;
    numbers.insert(static_cast<int>(fact<std::int64_t>(entry, "number")));
  }
  return numbers;
}

TEST(Swap, LegalCombinationsAreThoseOfTheSeed) {
  const auto allowed = [](Order order, bool overlap) {
    return protocols([&](const Entry& entry) {
      return legal(asked(entry, {.messages = 1, .order = order, .overlap = overlap}), entry);
    });
  };
  const std::set<int> nonblocking{1, 2, 3, 4, 5, 7, 8, 9};
  EXPECT_EQ(allowed(Order::ordered, false), (std::set<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(allowed(Order::simple, false), (std::set<int>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(allowed(Order::delayed, false), (std::set<int>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  for (const Order order : every_order) EXPECT_EQ(allowed(order, true), nonblocking) << static_cast<int>(order);
}

TEST(Swap, EveryLegalFormHasLoopsOfItsOwn) {
  for (const Entry& entry : catalogue()) {
    if (entry.facts.family != "swap") continue;
    std::set<Loop> loops;
    std::size_t forms = 0;
    for (const Order order : every_order) {
      for (const bool overlap : {false, true}) {
        const SwapOptions options{.messages = 1, .order = order, .overlap = overlap};
        const Point point = asked(entry, options);
        if (!legal(point, entry)) continue;
        const Configured chosen = configured(catalogue(), point);
        const bool plain = order == Order::ordered && !overlap;
        EXPECT_EQ(chosen.entry().is_form_for == nullptr, plain) << entry.info.name;
        EXPECT_TRUE(plain || chosen.entry().is_form_for(&options)) << entry.info.name;
        loops.insert(chosen.entry().loops[0].block);
        ++forms;
      }
    }
    // Delayed without overlap is simple.
    EXPECT_EQ(loops.size(), forms - (fact<bool>(entry, "alike") ? 1U : 0U)) << entry.info.name;
  }
}

TEST(Swap, MessagesMustBeEqualAndWhole) {
  const Entry& entry = entry_named(catalogue(), "swap/ready");
  Point point = default_point(entry.info);
  point.datatype = payload::Datatype::double_precision;
  point.bytes = 24;
  set_options(point.parameters, SwapOptions{.messages = 3});
  EXPECT_TRUE(legal(point, entry));
  EXPECT_EQ(configured(catalogue(), point).messages({.bytes = 24}), 6);
  EXPECT_EQ(configured(catalogue(), point).bytes_moved({.bytes = 24}), 48);
  set_options(point.parameters, SwapOptions{.messages = 2});
  EXPECT_FALSE(legal(point, entry));
}

}  // namespace
}  // namespace groma
