// Parameters that several families have. Each is declared once; a family binds it to a member of its own options.
#pragma once

#include "groma/parameter.hpp"

namespace groma {

inline constexpr Parameter window_parameter =
    parameter::count("window", "64", "messages", {1, 65536}, "messages in flight at once in the streaming operations");

inline constexpr Parameter compute_parameter =
    parameter::number("compute", "1", "exchanges", {0, 1000},
                      "work done while messages travel, or between them, as a multiple of the exchange alone");

inline constexpr Parameter threads_parameter =
    parameter::count("threads", "2", "", {1, 1024},
                     "threads of every rank that call MPI at once; more than one ask for thread_level=multiple");

inline constexpr Parameter dimensions_parameter =
    parameter::count("dimensions", "1", "", {1, 3}, "of the periodic grid of a halo exchange");

}  // namespace groma
