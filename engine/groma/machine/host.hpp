// Which ranks are on one host, and which of them can share memory: by what the system says. A library may be told to
// use no shared memory, and its communicators then say nothing about hosts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "groma/mpi/handles.hpp"

namespace groma {

/// The host's name as the library says it.
std::string processor_name();

/// A number for every rank's text, by rank: equal texts have equal numbers in every launch, on every machine.
/// Collective.
std::vector<std::uint64_t> numbers_of(const Comm& comm, std::string_view text);

/// The ranks on this rank's host: since the same boot, under the same host name and the same name of the scheduler's
/// node. Ranks of a simulation are on one host if the library gives its processor one name. Collective.
Comm ranks_of_host(const Comm& world);

/// Those ranks of a host that see this rank's files in /dev/shm: containers may each have their own. Collective.
Comm ranks_sharing_memory(const Comm& node);

}  // namespace groma
