// What is recorded of the samples kept is of all of them, whichever batch they came in.
#include "groma/measure/samples.hpp"

#include <gtest/gtest.h>

namespace groma {
namespace {

class KeptSamples : public testing::Test {
 protected:
  Comm world = Comm(MPI_COMM_WORLD).copy();
  Samples samples = Samples(world, {.phases = {}, .completion = true});

  /// Rank r is done r ns after the first one; every sample of the batch takes `last_ns`.
  [[nodiscard]] Reduced batch(std::size_t count, std::int64_t last_ns) const {
    Reduced one;
    one.samples.assign(count, last_ns);
    one.own.assign(count, last_ns);
    one.arrival_skew.assign(count, 0);
    one.own_completion.assign(count, last_ns - (world.size() - 1) + world.rank());
    return one;
  }

  [[nodiscard]] FiveNumbers completion() {
    samples.complete();
    return samples.skew(true).value().completion.value();
  }
};

TEST_F(KeptSamples, WhenRanksWereDoneIsTheMedianOverAllBatches) {
  samples.keep(batch(6000, 10'000));
  samples.keep(batch(10, 500));
  EXPECT_EQ(completion().back(), 10'000);
  EXPECT_EQ(completion().front(), 10'000 - (world.size() - 1));
}

TEST_F(KeptSamples, WhenRanksWereDoneIsNotOfTheSlowStartThatWasLeftOut) {
  samples.keep(batch(30, 90'000));
  samples.keep(batch(20, 2000));
  samples.leave_out_start(30);
  EXPECT_EQ(completion().back(), 2000);
}

TEST_F(KeptSamples, WhenRanksWereDoneIsForgottenWithTheSamples) {
  samples.keep(batch(30, 90'000));
  samples.forget();
  samples.keep(batch(5, 2000));
  EXPECT_EQ(completion().back(), 2000);
}

}  // namespace
}  // namespace groma
