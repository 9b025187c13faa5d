// From the arguments to the exit code: what the programs over MPI have in common.
#pragma once

#include <functional>
#include <optional>

#include "groma/engine.hpp"
#include "groma/mpi/launcher.hpp"
#include "groma/text/output.hpp"
#include "options.hpp"
#include "report.hpp"

namespace groma::programs {

/// Reads the options before MPI starts, so that -h needs no launcher; a fault in them ends all ranks once it has.
int over_mpi(int argc, char** argv, const Syntax& syntax,
             const std::function<int(const Options&, const Program&)>& body);

/// A point as the old programs time it: a block of passes on MPI_Wtime, `best_of` times, the ranks brought together
/// before each. The engine makes and checks two passes first.
Point timed_point(const Info& info, const Options& options);

/// A plan of one point.
Study study_of(const Point& point, const Options& options, std::function<void(const Measured&)> report);

Runs runs_of(const Measured& measured);

/// The host of every rank, or host and processor, on rank 0. Collective.
std::vector<std::string> hosts();
std::vector<std::string> places();

}  // namespace groma::programs
