// Processes that operations start with MPI_Comm_spawn: this program once more, with a word that says what it is for.
#pragma once

#include <array>

namespace groma {

/// The path of this program, for MPI, which takes no constants.
char* own_program();
/// The arguments of a process that is started, as MPI takes them.
std::array<char*, 2> spawned_words();

/// What a process does that was started so: it starts MPI, meets those who started it, leaves them, and ends MPI.
/// False, and nothing done, in all other processes.
bool served_parent(int argc, char** argv);

}  // namespace groma
