// What the MPI library says of messages in the memory of devices. It is not always right: the front end tries.
#pragma once

#include "groma/schema/devices.hpp"

namespace groma {

/// MPI's own statement (mpi_memory_alloc_kinds, MPI-4.1), and the answers of the library's queries, as far as it has
/// them.
schema::DeviceSupport device_support();

}  // namespace groma
