// Two ranks that work at the same time, each on a CPU of its own.
#pragma once

#include <array>
#include <optional>

#include "groma/machine/cpus.hpp"
#include "groma/mpi/handles.hpp"

namespace groma {

/// The first two ranks of `ranks` that can run at the same time, and the CPU of each; none if all share one CPU.
/// Collective; the same on every rank.
std::optional<std::array<Seat, 2>> seats_of(const Comm& ranks);

}  // namespace groma
