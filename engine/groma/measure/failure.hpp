// Why a point has no figure.
#pragma once

#include <string>
#include <vector>

namespace groma {

struct Failure {
  std::string reason;      ///< in the record's word: wrong_data or no_samples
  std::string message;     ///< what happened, and where it can be helped, what to change
  std::vector<int> ranks;  ///< of MPI_COMM_WORLD, where they are known
};

}  // namespace groma
