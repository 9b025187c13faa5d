// The machine's part of a start record where the machine is simulated.
#pragma once

#include <nlohmann/json.hpp>

namespace groma {

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
