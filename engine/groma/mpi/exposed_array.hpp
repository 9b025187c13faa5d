// A window of one-sided communication over an array of every rank, and the memory that it is made of.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

#include "groma/parameter.hpp"

namespace groma {

enum class WindowMemory { created, allocated, shared, dynamic };
inline constexpr Choice window_memories[] = {
    {"created", "MPI_Win_create over the array itself"},
    {"allocated",
     "MPI_Win_allocate: the library chooses the memory; what arrives is copied from there after the calls"},
    {"shared", "MPI_Win_allocate_shared, on ranks of one node; copied as with allocated"},
    {"dynamic", "MPI_Win_create_dynamic, the array attached, targets named by their addresses"}};

/// The window is made once and holds the whole array: places under cache=rotate are displacements in it.
class ExposedArray {
 public:
  ExposedArray() = default;
  ExposedArray(const ExposedArray&) = delete;
  ExposedArray& operator=(const ExposedArray&) = delete;

  /// Over `array`, which has the same length on every rank of `comm`. Collective. Throws InputError if the ranks of
  /// shared memory are on several nodes.
  void make(WindowMemory memory, MPI_Comm comm, std::span<std::byte> array);
  /// Collective.
  void free();

  [[nodiscard]] MPI_Win get() const noexcept { return handle_; }
  /// Displacement of the array's first byte on a rank.
  [[nodiscard]] MPI_Aint start(int rank) const { return starts_.empty() ? 0 : starts_[static_cast<std::size_t>(rank)]; }
  /// Copies the first `bytes` of the array into the window's own memory, or back; nothing if the window is the array.
  void load(std::size_t bytes) const;
  void store(std::size_t bytes) const;

 private:
  MPI_Win handle_ = MPI_WIN_NULL;
  std::span<std::byte> array_;
  std::byte* own_ = nullptr;  ///< memory of the library
  bool attached_ = false;
  std::vector<MPI_Aint> starts_;
};

}  // namespace groma
