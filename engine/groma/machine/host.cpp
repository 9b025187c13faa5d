#include "groma/machine/host.hpp"

#include <sys/stat.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "groma/machine/files.hpp"
#include "groma/mpi/simulated.hpp"

namespace groma {
namespace {

/// Slurm can have several nodes on one host, each with CPUs of its own.
std::string host_identity() {
  if constexpr (simulated) return processor_name();
  utsname system{};
  uname(&system);
  const char* node = std::getenv("SLURMD_NODENAME");
  return first_line("/proc/sys/kernel/random/boot_id") + "\n" + system.nodename + "\n" + (node == nullptr ? "" : node);
}

/// The ranks whose text is this one's. Collective.
Comm alike(const Comm& comm, std::string_view text) {
  const std::vector<std::uint64_t> numbers = numbers_of(comm, text);
  const auto own = numbers.begin() + comm.rank();
  return comm.part(static_cast<int>(std::find(numbers.begin(), own, *own) - numbers.begin()));
}

}  // namespace

std::string processor_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  return name.data();
}

std::vector<std::uint64_t> numbers_of(const Comm& comm, std::string_view text) {
  std::uint64_t mine = 0xcbf29ce484222325;  // FNV-1a
  for (const char letter : text) mine = (mine ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  std::vector<std::uint64_t> numbers(static_cast<std::size_t>(comm.size()));
  MPI_Allgather(&mine, 1, MPI_UINT64_T, numbers.data(), 1, MPI_UINT64_T, comm.get());
  return numbers;
}

Comm ranks_of_host(const Comm& world) { return alike(world, host_identity()); }

Comm ranks_sharing_memory(const Comm& node) {
  struct stat folder {};
  const bool found = stat("/dev/shm", &folder) == 0;
  return alike(node, found ? std::to_string(folder.st_dev) + "/" + std::to_string(folder.st_ino)
                           : "none, rank " + std::to_string(node.rank()));
}

}  // namespace groma
