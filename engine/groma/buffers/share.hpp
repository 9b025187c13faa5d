// How long a rank's own message is where `bytes` is that of all ranks together.
#pragma once

#include "groma/plan/point.hpp"

namespace groma {

/// The point as one of `ranks` ranks runs it: `bytes` is the length of its own message.
Point own_share(const Point& point, int ranks);

}  // namespace groma
