// What the launcher's environment says of this process, and whether the library agrees.
#pragma once

#include <optional>
#include <string>

namespace groma {

struct Launcher {
  std::string name;  ///< "hydra", "Open MPI", "Slurm", ... ; empty when no launcher is seen
  std::optional<int> ranks;
  std::optional<int> rank;
  std::optional<int> host_rank;  ///< this process among those of its host
};

/// Read before MPI_Init: libraries add variables of their own to the environment.
Launcher launcher_from_environment();

/// Why a library that reports `ranks` ranks can't be believed under this launcher; empty when they agree.
std::string launch_fault(const Launcher& launcher, int ranks, const std::string& library);

}  // namespace groma
