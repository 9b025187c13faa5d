// Work of a known amount, for operations that compute while messages travel: arithmetic that depends on itself, so that
// a progress thread or an interrupt that takes the processor makes it last longer. A wait until a time would not show
// that.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <ctime>
#include <vector>

#include "groma/clock/clocks.hpp"

namespace groma {

class BusyWork {
 public:
  BusyWork() = default;

  /// `parts` runs last `share` of the median of `exchange_ns`, the slowest rank's; the same on every rank. Collective.
  static BusyWork lasting(MPI_Comm comm, double share, const std::vector<std::int64_t>& exchange_ns, int parts);

  /// The same of the times that a few calls of `exchange` take now.
  template <class Exchange>
  static BusyWork lasting_as(MPI_Comm comm, double share, int parts, Exchange exchange) {
    constexpr int trials = 30;
    MPI_Barrier(comm);
    std::vector<std::int64_t> exchange_ns;
    for (int trial = 0; trial < trials; ++trial) {
      const std::int64_t begin = Monotonic::now();
      exchange();
      exchange_ns.push_back(Monotonic::now() - begin);
    }
    return lasting(comm, share, exchange_ns, parts);
  }

  void run() const noexcept {
#if defined(SMPI_H)  // simulated ranks compute in no time; the simulator stretches naps
    const timespec nap{0, amount_};
    nanosleep(&nap, nullptr);
#else
    std::uint64_t value = 1;
    for (std::int64_t left = amount_; left > 0; --left) {
      value = value * 6364136223846793005U + 1442695040888963407U;
      asm volatile("" : "+r"(value));
    }
#endif
  }

 private:
  explicit BusyWork(std::int64_t amount) : amount_(amount) {}
  static double ns_per_unit();

  std::int64_t amount_ = 0;  ///< multiplications in a row, or simulated nanoseconds
};

}  // namespace groma
