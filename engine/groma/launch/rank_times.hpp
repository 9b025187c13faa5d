// The times of every rank if they are too many for a record: in a file beside the records, one rank after another.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "groma/mpi/handles.hpp"

namespace groma {

/// The members' times at the end of the file that belongs to `records`, in the order of the members; returns where they
/// begin in it, on rank 0. Rank 0 holds those of one member at a time. `own` is empty but on members. Collective over
/// the world; throws OutputError.
std::int64_t append_rank_times(const Comm& world, const std::string& records, const std::vector<int>& members,
                               std::span<const std::int64_t> own);

}  // namespace groma
