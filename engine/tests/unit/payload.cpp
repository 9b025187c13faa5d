#include "groma/buffers/payload.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "groma/operations/exchanges.hpp"
#include "groma/operations/point_to_point.hpp"
#include "groma/operations/reductions.hpp"
#include "groma/operations/rooted.hpp"
#include "groma/operations/streaming.hpp"
#include "groma/plan/fields.hpp"
#include "groma/touch.hpp"
#include "known.hpp"

namespace groma {
namespace {

/// Two ranks played by one process: what the first sends is copied where the second receives.
class TwoRanks : public testing::Test {
 protected:
  Point point = default_point(PingPong::info);
  Site first{.rank = 0, .ranks = 2, .partner = 1, .first = true, .left = 1, .right = 1};
  Site second{.rank = 1, .ranks = 2, .partner = 0, .first = false, .left = 0, .right = 0};

  Payload payload(const Info& info, const Site& site, const Arena& arena) {
    Site sized = site;
    sized.count = static_cast<int>(point.bytes / element_bytes(point.datatype));
    sized.message_bytes = point.bytes;
    return payload_of(info, point, sized, lay_out(arena, point));
  }
};

TEST_F(TwoRanks, AWrongByteIsFoundWhereItIs) {
  for (std::size_t type = 0; type < std::size(payload::datatypes); ++type) {
    const auto datatype = static_cast<payload::Datatype>(type);
    point.datatype = datatype;
    point.bytes = 1000 * element_bytes(datatype);
    const Arena a(needs(PingPong::info, point, 2));
    const Arena b(needs(PingPong::info, point, 2));
    const Payload sends = payload(PingPong::info, first, a);
    const Payload receives = payload(PingPong::info, second, b);
    sends.fill(1, 0);
    receives.fill(1, 0);
    EXPECT_TRUE(receives.verify(1, 0)) << "nothing was sent yet";
    std::byte* target = lay_out(b, point).receive;
    std::memcpy(target, lay_out(a, point).send, static_cast<std::size_t>(point.bytes));
    EXPECT_FALSE(receives.verify(1, 0));
    EXPECT_TRUE(receives.verify(2, 0)) << "the data of another trial";
    const auto offset = 617 * element_bytes(datatype);
    target[offset] ^= std::byte{1};
    const auto wrong = receives.verify(1, 0);
    ASSERT_TRUE(wrong) << name_of(datatype);
    EXPECT_EQ(wrong->offset_bytes, offset);
    EXPECT_NE(wrong->expected, wrong->found);
  }
}

TEST_F(TwoRanks, AChangeThatTheSenderLeavesOutIsFound) {
  for (std::size_t type = 0; type < std::size(payload::datatypes); ++type) {
    point.datatype = static_cast<payload::Datatype>(type);
    point.bytes = 1000 * element_bytes(point.datatype);
    const Arena a(needs(PingPong::info, point, 2));
    const Arena b(needs(PingPong::info, point, 2));
    const Payload sends = payload(PingPong::info, first, a);
    const Payload receives = payload(PingPong::info, second, b);
    const std::span<std::byte> message = sends.outgoing(0);
    const std::span<std::byte> arrived = receives.incoming(0);
    ASSERT_EQ(std::ssize(message), point.bytes);
    ASSERT_EQ(std::ssize(arrived), point.bytes);
    sends.fill(1, 0);
    change_lines(message);
    std::ranges::copy(message, arrived.begin());
    EXPECT_TRUE(receives.verify(1, 0)) << name_of(point.datatype);
    change_lines(message);
    std::ranges::copy(message, arrived.begin());
    EXPECT_FALSE(receives.verify(1, 0)) << name_of(point.datatype);
  }
}

TEST_F(TwoRanks, WhatARankSendsAndReceivesIsItsPartAlone) {
  point.bytes = 640;
  const Arena arena(needs(Stream::info, point, 2));
  EXPECT_EQ(payload(Stream::info, first, arena).incoming(0).size(), 0);
  EXPECT_EQ(payload(Stream::info, second, arena).outgoing(0).size(), 0);
  EXPECT_EQ(payload(Bcast::info, first, arena).outgoing(0).size(), 640);
  EXPECT_EQ(payload(Bcast::info, first, arena).outgoing(1).size(), 0);
  EXPECT_EQ(payload(Bcast::info, second, arena).incoming(0).size(), 640);
}

// Elements are made and compared some hundreds at a time.
TEST_F(TwoRanks, AWrongElementIsFoundAtEveryPlace) {
  for (const auto layout : {payload::Layout::contiguous, payload::Layout::records}) {
    for (const std::int64_t elements : {1, 511, 512, 513, 1025}) {
      point.layout = layout;
      point.datatype = payload::Datatype::int32;
      point.bytes = 4 * elements;
      const Arena a(needs(PingPong::info, point, 2));
      const Arena b(needs(PingPong::info, point, 2));
      payload(PingPong::info, first, a).fill(1, 0);
      const Payload receives = payload(PingPong::info, second, b);
      receives.fill(1, 0);
      const Layout places = layout_of(point);
      auto* sent = reinterpret_cast<std::int32_t*>(lay_out(a, point).send);
      auto* target = reinterpret_cast<std::int32_t*>(lay_out(b, point).receive);
      for (std::int64_t i = 0; i < elements; ++i) target[places.place(i)] = sent[places.place(i)];
      ASSERT_FALSE(receives.verify(1, 0));
      for (std::int64_t place = 0; place < places.places(); ++place) {
        target[place] ^= 1;
        const auto wrong = receives.verify(1, 0);
        ASSERT_TRUE(wrong) << elements << " elements, place " << place;
        EXPECT_EQ(wrong->offset_bytes, 4 * place);
        EXPECT_EQ(wrong->found, target[place]);
        EXPECT_EQ(wrong->expected, target[place] ^ 1);
        target[place] ^= 1;
      }
    }
  }
}

TEST_F(TwoRanks, DataOneElementOffAreFound) {
  point.bytes = 4096;
  const Arena a(needs(PingPong::info, point, 2));
  const Arena b(needs(PingPong::info, point, 2));
  payload(PingPong::info, first, a).fill(1, 0);
  for (const std::size_t shift : {1U, 8U, 64U, 512U}) {
    std::memcpy(lay_out(b, point).receive, lay_out(a, point).send + shift, 4096 - shift);
    EXPECT_TRUE(payload(PingPong::info, second, b).verify(1, 0)) << shift;
  }
}

TEST_F(TwoRanks, EveryMessageOfAWindowIsChecked) {
  point.bytes = 100;
  set_options(point.parameters, StreamOptions{.window = 8});
  const Arena a(needs(Stream::info, point, 2));
  const Arena b(needs(Stream::info, point, 2));
  payload(Stream::info, first, a).fill(1, 0);
  const Payload receives = payload(Stream::info, second, b);
  std::byte* target = lay_out(b, point).receive;
  for (std::size_t slot = 0; slot < 8; ++slot) std::memcpy(target + slot * 100, lay_out(a, point).send, 100);
  EXPECT_FALSE(receives.verify(1, 0));
  EXPECT_EQ(receives.checked_elements(0), 800);
  target[799] ^= std::byte{4};
  ASSERT_TRUE(receives.verify(1, 0));
  EXPECT_EQ(receives.verify(1, 0)->offset_bytes, 799);
}

TEST_F(TwoRanks, ArraysAreAlignedTouchedAndNeverZero) {
  point.bytes = 100'000;
  point.alignment = 65536;
  const Arena arena(needs(PingPong::info, point, 2));
  const Arrays arrays = lay_out(arena, point);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(arrays.send) % 65536, 0U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(arrays.receive) % 65536,
            static_cast<std::uintptr_t>(point.receive_offset));
  EXPECT_NE(reinterpret_cast<std::uintptr_t>(arrays.send) % 4096,
            reinterpret_cast<std::uintptr_t>(arrays.receive) % 4096);
  for (const std::byte one : arena.send()) ASSERT_NE(one, std::byte{0});
  ASSERT_LE(arrays.receive + point.bytes, arena.receive().data() + arena.receive().size());
}

TEST_F(TwoRanks, ArraysAreAlignedToNoMoreThanIsAsked) {
  point.receive_offset = 0;
  for (std::int64_t alignment = 1; alignment <= 1 << 21; alignment *= 2) {
    point.alignment = alignment;
    const Arena arena(needs(PingPong::info, point, 2));
    const Arrays arrays = lay_out(arena, point);
    for (const std::byte* start : {arrays.send, arrays.receive}) {
      const auto address = reinterpret_cast<std::uintptr_t>(start);
      EXPECT_EQ(address & (~address + 1), static_cast<std::uintptr_t>(alignment));
    }
    ASSERT_LE(arrays.send + point.bytes, arena.send().data() + arena.send().size());
    ASSERT_LE(arrays.receive + point.bytes, arena.receive().data() + arena.receive().size());
  }
}

TEST(Payload, NeedsFollowTheDeclaration) {
  Point point = default_point(Alltoall::info);
  point.bytes = 100;
  EXPECT_EQ(needs(Alltoall::info, point, 5).total(), 1000);
  EXPECT_EQ(needs(Bcast::info, point, 5).receive_bytes, 100);
  EXPECT_EQ(needs(Exchange::info, point, 5).receive_bytes, 200);
  EXPECT_EQ(needs(Barrier::info, point, 5).total(), 0);
  set_options(point.parameters, StreamOptions{.window = 7});
  EXPECT_EQ(needs(Stream::info, point, 2).receive_bytes, 700);
  set_options(point.parameters, StreamOptions{.window = 7, .receive_window = ReceiveWindow::one});
  EXPECT_EQ(needs(Stream::info, point, 2).receive_bytes, 100);
  point.buffers = payload::Buffers::same;
  EXPECT_EQ(needs(ReduceScatter::info, point, 5).receive_bytes, 500);
}

}  // namespace
}  // namespace groma
