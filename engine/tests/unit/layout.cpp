#include "groma/buffers/layout.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "groma/buffers/payload.hpp"
#include "groma/operations/point_to_point.hpp"
#include "groma/plan/fields.hpp"
#include "known.hpp"

namespace groma {
namespace {

TEST(Layout, PlacesAreDistinctOrderedAndInside) {
  for (const LayoutRule& rule : layout_rules) {
    for (std::int64_t elements = 0; elements <= 40; ++elements) {
      const Layout layout(rule.kind, elements, 8);
      std::int64_t before = -1;
      for (std::int64_t i = 0; i < elements; ++i) {
        EXPECT_GT(layout.place(i), before);
        before = layout.place(i);
      }
      EXPECT_LT(before, layout.places());
      EXPECT_EQ(layout.extent_bytes(), 8 * layout.places());
    }
  }
  EXPECT_EQ(Layout(payload::Layout::vector, 5, 4).places(), 10);
  EXPECT_EQ(Layout(payload::Layout::contiguous, 5, 4).places(), 5);
}

class Gaps : public testing::TestWithParam<payload::Layout> {};

// What one rank sends is packed and unpacked by hand where the other receives, as an MPI library would.
TEST_P(Gaps, AWrongElementAndATouchedGapAreFound) {
  Point point = default_point(PingPong::info);
  point.layout = GetParam();
  point.datatype = payload::Datatype::int32;
  point.bytes = 400;
  const Layout layout = layout_of(point);
  const auto payload = [&](int rank, const Arena& arena) {
    Site site;
    site.rank = rank;
    site.ranks = 2;
    site.partner = 1 - rank;
    site.first = rank == 0;
    site.count = 1;
    return payload_of(PingPong::info, point, site, lay_out(arena, point));
  };
  const Arena a(needs(PingPong::info, point, 2));
  const Arena b(needs(PingPong::info, point, 2));
  const Payload receives = payload(1, b);
  payload(0, a).fill(1, 0);
  receives.fill(1, 0);
  auto* from = reinterpret_cast<std::int32_t*>(lay_out(a, point).send);
  auto* to = reinterpret_cast<std::int32_t*>(lay_out(b, point).receive);
  EXPECT_EQ(receives.checked_elements(0), 100);
  for (std::int64_t i = 0; i < 100; ++i) to[layout.place(i)] = from[layout.place(i)];
  EXPECT_FALSE(receives.verify(1, 0));
  to[1] += 1;  // place 1 is a gap in every layout
  const auto touched = receives.verify(1, 0);
  ASSERT_TRUE(touched);
  EXPECT_EQ(touched->offset_bytes, 4);
  to[1] -= 1;
  to[layout.place(57)] += 1;
  const auto wrong = receives.verify(1, 0);
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->offset_bytes, 4 * layout.place(57));
  std::memcpy(to, from, static_cast<std::size_t>(layout.extent_bytes()));
  EXPECT_TRUE(receives.verify(1, 0)) << "the sender's gaps came along";
}

INSTANTIATE_TEST_SUITE_P(Derived, Gaps,
                         testing::Values(payload::Layout::vector, payload::Layout::indexed, payload::Layout::records));

}  // namespace
}  // namespace groma
