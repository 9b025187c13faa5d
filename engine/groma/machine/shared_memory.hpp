// Memory that ranks of a host share, without MPI: even if the library was told to use none.
#pragma once

#include <cstddef>

#include "groma/mpi/handles.hpp"

namespace groma {

/// One block a rank, zeroed, each on pages of its own. Collective over `ranks`, which see the same files in /dev/shm;
/// throws std::runtime_error on all of them if the memory cannot be had.
class SharedMemory {
 public:
  SharedMemory(const Comm& ranks, std::size_t bytes_per_rank);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  [[nodiscard]] void* block(int rank) const;

 private:
  std::size_t block_bytes_;
  std::size_t bytes_;
  void* start_ = nullptr;
};

}  // namespace groma
