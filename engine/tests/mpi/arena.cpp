#include "groma/buffers/arena.hpp"

#include <gtest/gtest.h>

#include "groma/buffers/payload.hpp"

namespace groma {
namespace {

TEST(Arena, ArraysOfMpiAreAsLongAsAskedAndLieWhereItPutThem) {
  Point point;
  point.allocation = payload::Allocation::mpi;
  point.alignment = 4096;
  point.receive_offset = 1088;
  const Arena launch(Needs{.sweep_bytes = 4096});
  for (const std::int64_t bytes : {0, 8, 100'000, 1 << 17, 5'000'000}) {
    const Arena own = Arena::of_mpi({.send_bytes = bytes, .receive_bytes = 2 * bytes}, launch);
    EXPECT_EQ(own.send().size(), static_cast<std::size_t>(bytes));
    EXPECT_EQ(own.receive().size(), static_cast<std::size_t>(2 * bytes));
    EXPECT_EQ(lay_out(own, point).send, own.send().data());
    EXPECT_EQ(lay_out(own, point).receive, own.receive().data());
    EXPECT_EQ(own.sweep().data(), launch.sweep().data());
    for (const std::byte one : own.receive()) ASSERT_NE(one, std::byte{0});
  }
}

}  // namespace
}  // namespace groma
