// Why a point has no figure.
#pragma once

#include <string>
#include <vector>

namespace groma {

struct Failure {
  std::string reason;      ///< in the record's word: wrong_data, device, nccl, file, mpi_error or no_samples
  std::string message;     ///< what happened, and what to change if that helps
  std::vector<int> ranks;  ///< of MPI_COMM_WORLD, as far as they are known
};

}  // namespace groma
