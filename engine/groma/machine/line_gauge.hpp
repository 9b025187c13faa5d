// How near the CPUs of two ranks are at this moment, without MPI: a hypervisor may move CPUs within a launch.
#pragma once

#include <optional>
#include <vector>

#include "groma/machine/bounce.hpp"
#include "groma/machine/shared_memory.hpp"
#include "groma/mpi/handles.hpp"

namespace groma {

/// Between rank 0 and the first rank that shares memory with it and can run at the same time, where both are bound to
/// CPUs of their own: others would take turns on a CPU, or be moved. It reads nothing if there are no such ranks.
class LineGauge {
 public:
  /// Collective over the world, which must outlive it, and over `sharing`, the ranks that share memory with this one.
  LineGauge(const Comm& world, const Comm& sharing);

  /// A cache line from core to core, one way in ns, in a quarter of a millisecond. Called by all of `members`, of which
  /// the two ranks work where both are among them; on rank 0, nothing elsewhere.
  [[nodiscard]] std::optional<double> read(const std::vector<int>& members);

 private:
  const Comm& world_;
  int partner_ = -1;
  std::optional<SharedMemory> memory_;
  CacheLine* line_ = nullptr;
};

}  // namespace groma
