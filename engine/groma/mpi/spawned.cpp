#include "groma/mpi/spawned.hpp"

#include <mpi.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "groma/mpi/simulated.hpp"

namespace groma {
namespace {

std::string& word() {
  static std::string text = "--spawned";
  return text;
}

}  // namespace

char* own_program() {
  static std::string path = [] {
    std::error_code unknown;
    return std::filesystem::read_symlink("/proc/self/exe", unknown).string();
  }();
  return path.data();
}

std::array<char*, 2> spawned_words() { return {word().data(), nullptr}; }

bool served_parent(int argc, char** argv) {
  if (argc != 2 || argv[1] != word()) return false;
  if constexpr (!simulated) {
    MPI_Init(&argc, &argv);
    MPI_Comm parent = MPI_COMM_NULL;
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
      MPI_Barrier(parent);
      MPI_Comm_disconnect(&parent);
    }
    MPI_Finalize();
  }
  return true;
}

}  // namespace groma
