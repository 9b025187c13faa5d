// Whether a file can be as long as it has to be. Some libraries never return from a write to a full disk (MPICH's
// MPI_File_iwrite_at), others say that all is well (Open MPI 4.1): this is known before the first call.
#pragma once

#include <cstdint>
#include <string>

namespace groma {

/// Why the open file `name` cannot get that long: by the free space of its folder, or by a limit of this process; empty
/// if it can, as far as the system says. What a quota leaves is not known.
std::string lack_of_room(const std::string& name, int descriptor, std::int64_t bytes);

}  // namespace groma
