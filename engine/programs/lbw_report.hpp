// What LBW takes and prints, over MPI and over PVM.
#pragma once

#include "options.hpp"
#include "report.hpp"

namespace groma::programs {

inline constexpr const char* lbw_letters = "n:BLb:s:ha";

/// The length of one message: as asked, or the default of the test.
std::int64_t lbw_bytes(const Options& options);

/// The report; `system` is MPI or PVM, `places` says where the two processes were.
std::string lbw_report(const Options& options, const Runs& runs, const std::string& system,
                       const std::vector<std::string>& places);

}  // namespace groma::programs
