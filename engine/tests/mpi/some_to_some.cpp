#include "groma/operations/some_to_some.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "groma/mpi/handles.hpp"

namespace groma {
namespace {

/// A message from a place of its own carries its number in the list, over and over, one from the common buffer what its
/// sender has there; a list that ends on all ranks had no deadlock.
template <class Operation>
void exchange(const TransferRules& rules, MPI_Comm comm, int rank, SendFrom from = SendFrom::places) {
  const auto list = draw_transfers(rules);
  const auto parts = parts_of(list, rank, from);
  const auto element = [from](int sender, const Part& part, std::int64_t i) {
    return static_cast<std::int32_t>(from == SendFrom::places ? part.number : std::int64_t{1000} * sender + i);
  };
  const Heaviest most = heaviest(list, rules.ranks);
  std::vector<std::int32_t> out(static_cast<std::size_t>(most.sent), -1);
  std::vector<std::int32_t> in(static_cast<std::size_t>(most.received), -2);
  for (const Part& part : parts) {
    for (std::int64_t i = 0; part.sent && i < part.length; ++i) {
      out[static_cast<std::size_t>(part.start + i)] = element(rank, part, i);
    }
  }
  Operation operation;
  operation.site = {.comm = comm,
                    .rank = rank,
                    .ranks = rules.ranks,
                    .count = static_cast<int>(rules.longest),
                    .elements = rules.longest,
                    .type = MPI_INT32_T,
                    .element_bytes = sizeof(std::int32_t)};
  operation.options = {.messages = rules.messages,
                       .sides = rules.both_ways ? MapSides::both_ways : MapSides::one_way,
                       .seed = rules.seed,
                       .send_from = from};
  operation.buffers = {.send = out.data(), .receive = in.data()};
  operation.open();
  operation.step();
  for (const Part& part : parts) {
    for (std::int64_t i = 0; !part.sent && i < part.length; ++i) {
      ASSERT_EQ(in[static_cast<std::size_t>(part.start + i)], element(part.peer, part, i)) << "seed " << rules.seed;
    }
  }
}

class SomeToSomeRanks : public testing::Test {
 protected:
  const Comm world = Comm(MPI_COMM_WORLD).copy();
  void SetUp() override {
    if (world.size() < 2) GTEST_SKIP() << "one rank has nobody to send to";
  }
  /// Fewer lists where they are longer: the messages of all are about as many at every rank count.
  std::uint32_t lists(int with_one_rank) const { return static_cast<std::uint32_t>(with_one_rank / world.size()); }
  TransferRules rules(std::uint32_t seed) const {
    return {.ranks = world.size(), .messages = 6, .both_ways = seed % 2 == 1, .seed = seed, .longest = 30};
  }
};

// A synchronous send waits for its receive however short the message: what gets through here gets through anywhere.
TEST_F(SomeToSomeRanks, InOrderNoListDeadlocksThoughEverySendWaits) {
  for (std::uint32_t seed = 1; seed <= lists(240); ++seed)
    exchange<StsInOrder<MPI_Ssend>>(rules(seed), world.get(), world.rank());
}

TEST_F(SomeToSomeRanks, EveryMessageArrivesInItsPlace) {
  for (std::uint32_t seed = 1; seed <= lists(80); ++seed) {
    for (const SendFrom from : {SendFrom::places, SendFrom::one_buffer}) {
      exchange<StsAsync>(rules(seed), world.get(), world.rank(), from);
      exchange<StsSync>(rules(seed), world.get(), world.rank(), from);
    }
  }
}

}  // namespace
}  // namespace groma
