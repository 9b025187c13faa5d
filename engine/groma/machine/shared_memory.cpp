#include "groma/machine/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include "groma/mpi/texts.hpp"
#include "groma/mpi/together.hpp"

namespace groma {
namespace {

std::size_t whole_pages(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

/// Maps a file of a given size, in which this rank has its block: so its pages come from the memory near its CPU,
/// and a folder that is full is an error here instead of a signal later. Null with `errno` if that fails.
void* mapped(int file, std::size_t bytes, std::size_t block_bytes, int rank) {
  const auto offset = static_cast<off_t>(block_bytes * static_cast<std::size_t>(rank));
  errno = posix_fallocate(file, offset, static_cast<off_t>(block_bytes));
  if (errno != 0) return nullptr;
  void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return start == MAP_FAILED ? nullptr : start;
}

}  // namespace

SharedMemory::SharedMemory(const Comm& ranks, std::size_t bytes_per_rank)
    : block_bytes_(whole_pages(bytes_per_rank)), bytes_(block_bytes_ * static_cast<std::size_t>(ranks.size())) {
  std::string name = "/dev/shm/groma-XXXXXX";
  const bool first = ranks.rank() == 0;
  int file = first ? mkostemp(name.data(), O_CLOEXEC) : -1;
  int error = errno;
  name = broadcast_text(ranks, name);
  if (!first) {
    file = open(name.c_str(), O_RDWR | O_CLOEXEC);
    error = errno;
  }
  if (file >= 0) {
    start_ = mapped(file, bytes_, block_bytes_, ranks.rank());
    error = errno;
    close(file);
  }
  const std::string text = start_ != nullptr ? ""
                                             : "can't share " + std::to_string(bytes_) +
                                                   " bytes with the other ranks of its host in " + name + ": " +
                                                   std::strerror(error) + "; make room in /dev/shm";
  MPI_Barrier(ranks.get());
  if (first) unlink(name.c_str());
  throw_together<std::runtime_error>(ranks, text);
}

SharedMemory::~SharedMemory() { munmap(start_, bytes_); }

void* SharedMemory::block(int rank) const {
  return static_cast<std::byte*>(start_) + block_bytes_ * static_cast<std::size_t>(rank);
}

}  // namespace groma
