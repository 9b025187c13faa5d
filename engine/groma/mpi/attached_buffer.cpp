#include "groma/mpi/attached_buffer.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "groma/errors.hpp"

namespace groma {

void AttachedBuffer::check(const Request& request) {
  constexpr std::int64_t most_bytes = std::numeric_limits<int>::max() / 4;
  if (request.bytes <= most_bytes) return;
  throw InputError(
      "bytes=" + std::to_string(request.bytes) + " of " + std::string(request.operation) +
      " needs a buffer of two messages, gaps of their layout included, whose size MPI takes as an int; use " +
      std::to_string(most_bytes) + " or fewer");
}

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
