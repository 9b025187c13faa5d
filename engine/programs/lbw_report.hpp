// What LBW takes and prints, over MPI and over PVM.
#pragma once

#include "options.hpp"
#include "report.hpp"

namespace groma::programs {

inline constexpr const char* lbw_letters = "n:BLb:s:ha";
inline const std::string lbw_usage =
    "  -n num_times     messages each way; left out: as many as last T seconds\n"
    "  -B | -L          bandwidth (default) or latency test\n"
    "  -b buff_size     bytes in a message: 1000000 (-B) or 40 (-L)\n"
    "  -s sync|async    send then receive in turn (default), or both at once\n"
    "  -a               one line for each process\n"
    "  --best-of K      K runs, of which the shortest is reported (1)\n"
    "  --min-seconds T  the least time of a run, without -n (1)\n"
    "  --check          compare what arrived after every run, not only before\n";

/// The length of one message: as asked, or the default of the test.
std::int64_t lbw_bytes(const Options& options);

/// The report; `system` is MPI or PVM, `places` says where the two processes were.
std::string lbw_report(const Options& options, const Runs& runs, const std::string& system,
                       const std::vector<std::string>& places);

}  // namespace groma::programs
