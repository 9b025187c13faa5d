// The ranks of a launch, and where they are.
#pragma once

#include "groma/machine/placement.hpp"
#include "groma/mpi/handles.hpp"

namespace groma {

struct Ranks {
  Comm world;
  Comm node;     ///< those on this one's host
  Comm sharing;  ///< those of them that can share memory with it
  Placement placement;
};

}  // namespace groma
