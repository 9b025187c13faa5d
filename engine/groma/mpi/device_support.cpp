#include "groma/mpi/device_support.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <array>

#include "groma/mpi/simulated.hpp"

namespace groma {
namespace {

/// The value of this key of the communicator of all ranks; empty if the library has none.
std::string info_of_world([[maybe_unused]] const char* key) {
  std::array<char, 1024> value{};
#if !defined(SMPI_H) && MPI_VERSION >= 4
  MPI_Info info = MPI_INFO_NULL;
  if (MPI_Comm_get_info(MPI_COMM_WORLD, &info) != MPI_SUCCESS) return "";
  int length = value.size();
  int found = 0;
  MPI_Info_get_string(info, key, &length, value.data(), &found);
  MPI_Info_free(&info);
  if (found == 0) return "";
#endif
  return value.data();
}

/// The answer of `int name()`, Open MPI's way; nothing if the library has no such function.
std::optional<bool> answer_of(const char* name) {
  const auto query = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, name));
  return query == nullptr ? std::nullopt : std::optional(query() != 0);
}

/// MPICH's way, by its number of a kind of device.
std::optional<bool> answer_for(int device) {
  const auto query = reinterpret_cast<int (*)(int, int*)>(dlsym(RTLD_DEFAULT, "MPIX_GPU_query_support"));
  int supported = 0;
  if (query == nullptr || query(device, &supported) != 0) return std::nullopt;
  return supported != 0;
}

}  // namespace

schema::DeviceSupport device_support() {
  if constexpr (simulated) return {};
  constexpr int cuda = 0;  // MPIX_GPU_SUPPORT_CUDA and _HIP of MPICH
  constexpr int hip = 2;
  const auto first = [](std::optional<bool> one, std::optional<bool> other) { return one ? one : other; };
  return {.memory_kinds = info_of_world("mpi_memory_alloc_kinds"),
          .cuda = first(answer_of("MPIX_Query_cuda_support"), answer_for(cuda)),
          .hip = first(answer_of("MPIX_Query_rocm_support"), answer_for(hip))};
}

}  // namespace groma
