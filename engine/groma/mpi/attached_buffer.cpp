#include "groma/mpi/attached_buffer.hpp"

#include <cstddef>
#include <vector>

namespace groma {

void AttachedBuffer::require(const Site& site) {
  static std::vector<std::byte> buffer;
  int message = 0;
  MPI_Pack_size(site.count, site.type, site.comm, &message);
  const std::size_t needed = 2 * (static_cast<std::size_t>(message) + MPI_BSEND_OVERHEAD);
  if (needed <= buffer.size()) return;
  if (!buffer.empty()) {
    void* former = nullptr;
    int bytes = 0;
    MPI_Buffer_detach(static_cast<void*>(&former), &bytes);
  }
  buffer.resize(needed);
  MPI_Buffer_attach(buffer.data(), static_cast<int>(needed));
}

}  // namespace groma
