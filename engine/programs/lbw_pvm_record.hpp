// What lbw-pvm records: start, point, failure and end as docs/contract.md has them, of a library that is not MPI.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "options.hpp"
#include "report.hpp"

namespace groma::programs {

/// The two processes of a run and what they ran on.
struct PvmRun {
  std::string version;  ///< of PVM
  int hosts = 1;
  std::int64_t began_ns = 0;  ///< monotonic
};

nlohmann::ordered_json start_record(const PvmRun& run, const std::vector<std::string>& arguments);
nlohmann::ordered_json point_record(const PvmRun& run, const Options& options, const Runs& runs);
/// Wrong data on the process `rank`.
nlohmann::ordered_json failure_record(const std::string& message, int rank);
nlohmann::ordered_json end_record(const PvmRun& run, int failures);

/// Nanoseconds of the monotonic clock.
std::int64_t monotonic_ns();

}  // namespace groma::programs
