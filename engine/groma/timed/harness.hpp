// What Groma itself adds to a measured time.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "groma/clock/readings.hpp"
#include "groma/timed/entry.hpp"

namespace groma {

/// What one repetition of nothing costs: `call_ns` beyond two readings of the clock, `block_ns` in a block.
nlohmann::ordered_json harness_cost(const Entry& noop, const ClockFacts& clock);

}  // namespace groma
