// Noise, and the CPU time that other processes take.
#pragma once

#include <vector>

#include "groma/machine/files.hpp"
#include "groma/mpi/handles.hpp"
#include "groma/schema/machine.hpp"

namespace groma {

/// Gaps in a tight clock loop on every rank at once: the time that the system took from a rank that only computes.
std::vector<schema::Noise> measure_noise(const Comm& world);

/// CPU time of a node's ranks and of everybody else between its construction and `finish`.
class LoadWatch {
 public:
  LoadWatch();
  /// Collective; one row for every node, on rank 0.
  [[nodiscard]] std::vector<schema::NodeLoad> finish(const Comm& world, const Comm& node) const;

 private:
  std::int64_t start_ns_;
  CpuSeconds start_;
  double start_own_s_;
};

}  // namespace groma
