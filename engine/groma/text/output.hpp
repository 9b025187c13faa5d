// Text that leaves the program: files, standard output, messages for a person.
#pragma once

#include <string>

namespace groma {

/// Heads every message; set once, before MPI starts.
inline const char* program_name = "groma-engine";

/// One line on standard error.
void complain(const std::string& message);

/// Text for standard output, at once; throws OutputError when it did not get there.
void print(const std::string& text);

/// Writes all of it to an open file; throws OutputError naming `path`.
void write_all(int file, const std::string& path, const std::string& text);

}  // namespace groma
