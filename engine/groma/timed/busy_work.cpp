#include "groma/timed/busy_work.hpp"

#include <algorithm>
#include <limits>

#include "groma/clock/clocks.hpp"
#include "groma/mpi/simulated.hpp"
#include "groma/stopping/interval.hpp"

namespace groma {

/// The fastest of several tries: interrupts only lengthen.
double BusyWork::ns_per_unit() {
  if constexpr (simulated) return 1;
  constexpr std::int64_t units = 20'000;
  constexpr int tries = 20;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int attempt = 0; attempt < tries; ++attempt) {
    const std::int64_t begin = Monotonic::now();
    BusyWork(units).run();
    least = std::min(least, Monotonic::now() - begin);
  }
  return static_cast<double>(least) / static_cast<double>(units);
}

BusyWork BusyWork::lasting(MPI_Comm comm, double share, const std::vector<std::int64_t>& exchange_ns, int parts) {
  double longest_ns = median_of(exchange_ns);
  MPI_Allreduce(MPI_IN_PLACE, &longest_ns, 1, MPI_DOUBLE, MPI_MAX, comm);
  return BusyWork(static_cast<std::int64_t>(share * longest_ns / ns_per_unit() / parts));
}

}  // namespace groma
