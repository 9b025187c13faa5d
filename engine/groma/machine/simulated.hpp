// An engine built with SimGrid's SMPI (-DGROMA_SIMULATED=ON) runs on a network of known truth: simulation/ compares.
//
// Its ranks are turns of one process. Simulated time passes in MPI calls, in naps and in readings of the clock, and
// nowhere else: what the harness costs is nothing, and the machine below is not the one that is measured.
#pragma once

#include <mpi.h>

#include <nlohmann/json.hpp>

namespace groma {

#if defined(SMPI_H)
inline constexpr bool simulated = true;
#else
inline constexpr bool simulated = false;
#endif

/// What a start record says of the harness and the machine where both are simulated.
inline nlohmann::ordered_json nothing_of_the_machine() {
  using Json = nlohmann::ordered_json;
  return {{"harness", {{"call_ns", 0.0}, {"block_ns", 0.0}}},
          {"limits",
           {{"line_bounce_ns", nullptr},
            {"two_flags_ns", nullptr},
            {"bounce_ranks", Json::array()},
            {"handoff", Json::array()},
            {"tcp", {{"rows", Json::array()}, {"notes", Json::array()}}}}},
          {"noise", Json::array()}};
}

}  // namespace groma
