// The programs of the older suites over MPI. The engine holds them, and is each of them under its name.
#pragma once

#include <string_view>

namespace groma::programs {

int run_lbw(int argc, char** argv);
int run_ata(int argc, char** argv);
int run_sts(int argc, char** argv);
int run_mpi_bcast_test(int argc, char** argv);

/// The program of this name, which may have a path before it; null if there is none.
using Run = int (*)(int argc, char** argv);
Run program_named(std::string_view path);

}  // namespace groma::programs
