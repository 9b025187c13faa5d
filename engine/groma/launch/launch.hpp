// One launch of the engine: everything between MPI_Init and MPI_Finalize.
#pragma once

#include <string>
#include <vector>

#include "groma/launch/client.hpp"
#include "groma/mpi/launcher.hpp"
#include "groma/timed/entry.hpp"

namespace groma {

/// Measures everything that the client asks for; returns the exit code. Throws InputError and OutputError on every rank
/// alike. Collective over MPI_COMM_WORLD.
int measure_launch(const std::vector<Entry>& entries, const Client& client, const std::vector<std::string>& arguments,
                   const Launcher& launcher);

}  // namespace groma
