#include "groma/operations/swap.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>

#include "groma/plan/fields.hpp"
#include "groma/plan/validate.hpp"
#include "groma/record/point_json.hpp"

namespace groma {
namespace {

Point asked(const Entry& entry, std::string_view order, bool overlap) {
  Point point = default_point(entry.info);
  point.swap_order = order;
  point.swap_overlap = overlap;
  return point;
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
    if (entry.info.swap.number >= 0 && test(entry)) numbers.insert(entry.info.swap.number);
  }
  return numbers;
}

TEST(Swap, LegalCombinationsAreThoseOfTheSeed) {
  const auto allowed = [](std::string_view order, bool overlap) {
    return protocols([&](const Entry& entry) { return legal(asked(entry, order, overlap), entry); });
  };
  const std::set<int> nonblocking{1, 2, 3, 4, 5, 7, 8, 9};
  EXPECT_EQ(allowed("ordered", false), (std::set<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(allowed("simple", false), (std::set<int>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(allowed("delayed", false), (std::set<int>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  for (const char* order : {"ordered", "simple", "delayed"}) EXPECT_EQ(allowed(order, true), nonblocking) << order;
}

TEST(Swap, EveryLegalFormHasLoopsOfItsOwn) {
  for (const Entry& entry : catalogue()) {
    if (entry.info.swap.number < 0) continue;
    std::set<Loop> loops;
    std::size_t forms = 0;
    for (const char* order : {"ordered", "simple", "delayed"}) {
      for (const bool overlap : {false, true}) {
        const Point point = asked(entry, order, overlap);
        if (!legal(point, entry)) continue;
        const Entry& chosen = entry_for(catalogue(), point);
        EXPECT_EQ(chosen.form.swap_order, point.swap_order) << entry.info.name;
        EXPECT_EQ(chosen.form.swap_overlap, point.swap_overlap) << entry.info.name;
        loops.insert(chosen.block[0]);
        ++forms;
      }
    }
    // Delayed without overlap is simple.
    EXPECT_EQ(loops.size(), forms - (entry.info.swap.alike ? 1U : 0U)) << entry.info.name;
  }
}

TEST(Swap, MessagesMustBeEqualAndWhole) {
  const Entry& entry = entry_named(catalogue(), "swap/ready");
  Point point = default_point(entry.info);
  point.datatype = "double";
  point.bytes = 24;
  point.swap_messages = 3;
  EXPECT_TRUE(legal(point, entry));
  point.swap_messages = 2;
  EXPECT_FALSE(legal(point, entry));
  EXPECT_EQ(entry.messages({.bytes = 24, .swap_messages = 3}), 6);
  EXPECT_EQ(entry.bytes_moved({.bytes = 24, .swap_messages = 3}), 48);
}

}  // namespace
}  // namespace groma
