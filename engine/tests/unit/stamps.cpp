#include "groma/timed/stamps.hpp"

#include <gtest/gtest.h>

namespace groma {
namespace {

TEST(Stamps, JoinedRepetitionsLastUntilTheNextOneBegins) {
  const ClockFacts clock;
  Stamps stamps(clock, nullptr, 4);
  const std::int64_t starts[] = {100, 150, 230};
  const std::int64_t ends[] = {120, 200, 260};
  std::copy(std::begin(starts), std::end(starts), stamps.start());
  std::copy(std::begin(ends), std::end(ends), stamps.end());
  stamps.join(3);
  EXPECT_EQ(stamps.times(3).enter, (std::vector<std::int64_t>{100, 150, 230}));
  EXPECT_EQ(stamps.times(3).leave, (std::vector<std::int64_t>{150, 230, 260}));
}

TEST(Stamps, OneRepetitionAloneEndsWhereItEnded) {
  const ClockFacts clock;
  Stamps stamps(clock, nullptr, 2);
  *stamps.start() = 100;
  *stamps.end() = 120;
  stamps.join(1);
  EXPECT_EQ(stamps.times(1).leave, (std::vector<std::int64_t>{120}));
}

}  // namespace
}  // namespace groma
