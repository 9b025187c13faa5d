// The ranks of a launch, and where they are.
#pragma once

#include "groma/machine/placement.hpp"
#include "groma/mpi/handles.hpp"

namespace groma {

struct Ranks {
  Comm world;
  Comm node;  ///< those that share memory with this one
  Placement placement;
};

}  // namespace groma
