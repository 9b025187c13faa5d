#include "groma/mpi/launcher.hpp"

#include <cstdlib>

#include "groma/text/words.hpp"

namespace groma {
namespace {

std::optional<int> number_in(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const auto value = parse_integer(text);
  if (!value) return std::nullopt;
  return static_cast<int>(*value);
}

/// Known to every launcher below, under a name of its own; srun sets Slurm's if it stands in for another.
std::optional<int> own_host_rank() {
  constexpr const char* names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "PALS_LOCAL_RANKID",
                                   "MV2_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"};
  for (const char* name : names) {
    if (const auto rank = number_in(name)) return rank;
  }
  return std::nullopt;
}

}  // namespace

Launcher launcher_from_environment() {
  struct Known {
    const char* name;
    const char* ranks;
    const char* rank;
  };
  // The innermost launcher first: mpiexec inside a Slurm allocation leaves Slurm's variables visible.
  constexpr Known known[] = {{"Open MPI", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                             {"hydra", "PMI_SIZE", "PMI_RANK"},
                             {"PALS", "PALS_SIZE", "PALS_RANKID"},
                             {"MVAPICH", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
                             {"Slurm", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};
  for (const Known& one : known) {
    const auto ranks = number_in(one.ranks);
    const auto rank = number_in(one.rank);
    if (ranks && rank) return {one.name, ranks, rank, own_host_rank()};
  }
  return {};
}

std::string launch_fault(const Launcher& launcher, int ranks, const std::string& library) {
  if (!launcher.ranks || *launcher.ranks == ranks) return "";
  return "the launcher (" + launcher.name + ") started " + std::to_string(*launcher.ranks) + " processes, but " +
         library + " sees " + std::to_string(ranks) +
         ": launcher and MPI library do not belong together, so every process would measure alone; start the engine "
         "with the mpiexec (or srun --mpi=...) of the library that it runs on";
}

}  // namespace groma
