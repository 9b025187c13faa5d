// Records that wait until MPI has ended, since a time in them is known then: points of mpi_finalize, and the end of the
// launch, which is the last record. A launch without such points writes its end before MPI ends.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "groma/record/recorder.hpp"

namespace groma {

struct AfterEnd {
  bool due = false;  ///< on all ranks
  // On rank 0.
  std::unique_ptr<Recorder> recorder;
  std::vector<nlohmann::ordered_json> points;  ///< without their time
  nlohmann::ordered_json end;

  /// Writes them. Throws OutputError.
  void say(std::int64_t finalize_ns);
};

}  // namespace groma
