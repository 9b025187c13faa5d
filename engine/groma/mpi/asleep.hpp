// Waiting for other ranks without taking a CPU from them.
#pragma once

#include <mpi.h>

namespace groma {

/// Waits until every rank has come, sleeping between looks, so that no core is taken from ranks that still work.
void wait_asleep(MPI_Comm comm);

}  // namespace groma
