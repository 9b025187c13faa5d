// What Groma itself adds to a measured time.
#pragma once

#include "groma/clock/readings.hpp"
#include "groma/schema/machine.hpp"
#include "groma/timed/entry.hpp"

namespace groma {

/// What one repetition of nothing costs: `call_ns` beyond two readings of the clock, `block_ns` in a block.
schema::HarnessCost harness_cost(const Entry& noop, const ClockFacts& clock);

}  // namespace groma
