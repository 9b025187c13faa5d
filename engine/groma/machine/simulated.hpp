// An engine built with SimGrid's SMPI (-DGROMA_SIMULATED=ON) runs on a network of known truth: simulation/ compares.
//
// Its ranks are turns of one process. Simulated time passes in MPI calls, in naps and in readings of the clock, and
// nowhere else: what the harness costs is nothing, and the machine below is not the one that is measured.
#pragma once

#include <mpi.h>

namespace groma {

#if defined(SMPI_H)
inline constexpr bool simulated = true;
#else
inline constexpr bool simulated = false;
#endif

}  // namespace groma
