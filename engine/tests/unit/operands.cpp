// A reduction that works on what the receive array held before is seen, whatever the type and the operation.
#include "groma/buffers/operands.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "groma/buffers/reduction.hpp"
#include "groma/operations/reductions.hpp"
#include "groma/plan/fields.hpp"
#include "known.hpp"

namespace groma {
namespace {

using payload::Datatype;
using payload::Reduction;

template <class Element>
Element combine(Reduction reduction, Element one, Element other) {
  if constexpr (is_pair<Element>) {
    if (one.value == other.value) return one.place < other.place ? one : other;
    return (one.value < other.value) == (reduction == Reduction::minloc) ? one : other;
  } else {
    if (reduction == Reduction::sum || reduction == Reduction::user) return static_cast<Element>(one + other);
    if constexpr (is_ordered<Element>) {
      if (reduction == Reduction::max) return other < one ? one : other;
    }
    if constexpr (std::is_integral_v<Element>) return static_cast<Element>(one & other);
    return one;
  }
}

/// Calls `visit(point, element)` for every reduction on every type on which it is defined.
template <class Visit>
int for_every_reduction(Visit visit) {
  int visited = 0;
  for (std::size_t type = 0; type < std::size(payload::datatypes); ++type) {
    for (std::size_t reduction = 0; reduction < std::size(payload::reductions); ++reduction) {
      Point point = default_point(Allreduce::info);
      point.datatype = static_cast<Datatype>(type);
      point.reduction = static_cast<Reduction>(reduction);
      if (point.reduction == Reduction::nothing || !undefined_reduction(point).empty()) continue;
      ++visited;
      SCOPED_TRACE(name_of(point.reduction) + " of " + name_of(point.datatype));
      with_element_type(point.datatype, [&]<class Element>(Element element) { visit(point, element); });
    }
  }
  return visited;
}

/// The ranks of an allreduce, played by one process.
template <class Element>
class AllreduceOf {
 public:
  AllreduceOf(const Point& point, int ranks, int elements) : point_(point), elements_(elements) {
    point_.bytes = elements * static_cast<std::int64_t>(sizeof(Element));
    for (int rank = 0; rank < ranks; ++rank) {
      const Site site{
          .rank = rank, .ranks = ranks, .count = elements, .elements = elements, .message_bytes = point_.bytes};
      arenas_.emplace_back(needs(Allreduce::info, point_, ranks));
      payloads_.push_back(payload_of(Allreduce::info, point_, site, lay_out(arenas_.back(), point_)));
      payloads_.back().fill(1, 0);
    }
  }

  [[nodiscard]] std::vector<Element> result() const {
    std::vector<Element> values(sent(0), sent(0) + elements_);
    for (std::size_t rank = 1; rank < payloads_.size(); ++rank) {
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = combine(point_.reduction, values[i], sent(rank)[i]);
    }
    return values;
  }
  [[nodiscard]] Element* received() const { return reinterpret_cast<Element*>(lay_out(arenas_[0], point_).receive); }
  [[nodiscard]] bool passes() const { return !payloads_[0].verify(1, 0); }

 private:
  [[nodiscard]] const Element* sent(std::size_t rank) const {
    return reinterpret_cast<const Element*>(lay_out(arenas_[rank], point_).send);
  }

  Point point_;
  int elements_;
  std::vector<Arena> arenas_;
  std::vector<Payload> payloads_;
};

TEST(Operands, OldContentsAreSeenInEveryElementWithEveryTypeAndOperation) {
  const int visited = for_every_reduction([&]<class Element>(const Point& point, Element) {
    for (const auto& [ranks, elements] : {std::pair(1, 600), {2, 600}, {3, 600}, {64, 30}, {200, 10}}) {
      const AllreduceOf<Element> planted(point, ranks, elements);
      const std::vector<Element> right = planted.result();
      const std::vector<Element> old(planted.received(), planted.received() + elements);
      std::copy(right.begin(), right.end(), planted.received());
      ASSERT_TRUE(planted.passes()) << ranks << " ranks";
      for (std::size_t i = 0; i < right.size(); ++i) {
        planted.received()[i] = combine(point.reduction, old[i], right[i]);
        ASSERT_FALSE(planted.passes()) << ranks << " ranks, element " << i;
        planted.received()[i] = right[i];
      }
    }
  });
  EXPECT_EQ(visited, 33);
}

/// Every byte of an element, so that one that was not written is seen.
TEST(Operands, AByteThatDidNotArriveIsSeen) {
  for_every_reduction([&]<class Element>(const Point& point, Element) {
    const AllreduceOf<Element> planted(point, 2, 100);
    const std::vector<Element> right = planted.result();
    const Element old = *planted.received();
    std::copy(right.begin(), right.end(), planted.received());
    const std::size_t gap = std::is_same_v<Element, At<double>> ? sizeof(int) : 0;  // behind the place
    for (std::size_t byte = 0; byte < sizeof(Element) - gap; ++byte) {
      auto* bytes = reinterpret_cast<unsigned char*>(planted.received()) + byte;
      const unsigned char arrived = *bytes;
      *bytes = reinterpret_cast<const unsigned char*>(&old)[byte];
      EXPECT_FALSE(planted.passes()) << "byte " << byte;
      *bytes = arrived;
    }
  });
}

/// Else a result in a wrong place would pass: of many ranks, each maximum would be 127 and each AND 64.
TEST(Operands, ResultsOfManyRanksDependOnTheirPlace) {
  for_every_reduction([&]<class Element>(const Point& point, Element) {
    if (point.reduction == Reduction::sum || point.reduction == Reduction::user) return;
    const std::vector<Element> results = AllreduceOf<Element>(point, 100, 400).result();
    std::set<double> numbers;
    for (const Element& result : results) numbers.insert(number_of(result));
    EXPECT_GT(numbers.size(), 20U);
    if constexpr (std::is_integral_v<Element>) {
      for (int bit = 0; bit < 6; ++bit) {
        std::set<bool> values;
        for (const Element result : results) values.insert((static_cast<std::int64_t>(result) >> bit & 1) != 0);
        // The lowest bit of a maximum is always 0.
        EXPECT_EQ(values.size(), bit == 0 && point.reduction == Reduction::max ? 1U : 2U) << "bit " << bit;
      }
    }
  });
}

TEST(ShortFloat, HasTheBitsOfItsFormatAndRoundsToEven) {
  const auto bits = [](auto number) {
    std::uint16_t copied = 0;
    std::memcpy(&copied, &number, sizeof number);  // the analyzer takes the result of a bit_cast for garbage
    return copied;
  };
  const std::vector<std::pair<float, int>> halves = {
      {0.0F, 0x0000},     {1.0F, 0x3C00},     {-2.0F, 0xC000},    {65504.0F, 0x7BFF}, {65519.0F, 0x7BFF},
      {65520.0F, 0x7C00}, {0x1p-24F, 0x0001}, {0x1p-14F, 0x0400}, {2049.0F, 0x6800},  {2051.0F, 0x6802}};
  for (const auto& [value, right] : halves) EXPECT_EQ(bits(Float16(value)), right) << value;
  const std::vector<std::pair<float, int>> brains = {{1.0F, 0x3F80},   {-1.0F, 0xBF80},     {257.0F, 0x4380},
                                                     {259.0F, 0x4382}, {0x1p-133F, 0x0001}, {3.4e38F, 0x7F80}};
  for (const auto& [value, right] : brains) EXPECT_EQ(bits(BFloat16(value)), right) << value;
  for (int all = 0; all < 0x7C00; ++all) {
    const auto half = static_cast<std::uint16_t>(all);
    EXPECT_EQ(bits(Float16(static_cast<float>(Float16::of_bits(half)))), all);
    EXPECT_EQ(static_cast<float>(BFloat16::of_bits(half)),
              std::bit_cast<float>(static_cast<std::uint32_t>(all) << 16U));
  }
}

}  // namespace
}  // namespace groma
