#include "groma/mpi/exposed_array.hpp"

#include <algorithm>
#include <cstring>

#include "groma/errors.hpp"
#include "groma/mpi/handles.hpp"

namespace groma {
namespace {

/// Pages that no rank has touched yet would be given out by the first call that is timed.
constexpr int untouched = 1;

void require_one_node(MPI_Comm comm) {
  MPI_Comm handle = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &handle);
  const Comm node(handle);
  int all = 0;
  MPI_Comm_size(comm, &all);
  if (node.size() == all) return;
  throw InputError("rma_window=shared needs ranks that share memory, and these are on several nodes; use allocated");
}

}  // namespace

void ExposedArray::make(WindowMemory memory, MPI_Comm comm, std::span<std::byte> array) {
  array_ = array;
  const auto bytes = static_cast<MPI_Aint>(array.size());
  switch (memory) {
    case WindowMemory::created:
      MPI_Win_create(array.data(), bytes, 1, MPI_INFO_NULL, comm, &handle_);
      return;
    case WindowMemory::allocated:
      MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, comm, &own_, &handle_);
      break;
    case WindowMemory::shared:
      require_one_node(comm);
      MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, comm, &own_, &handle_);
      break;
    case WindowMemory::dynamic: {
      MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &handle_);
      MPI_Win_attach(handle_, array.data(), bytes);
      attached_ = true;
      MPI_Aint mine = 0;
      MPI_Get_address(array.data(), &mine);
      int ranks = 0;
      MPI_Comm_size(comm, &ranks);
      starts_.resize(static_cast<std::size_t>(ranks));
      MPI_Allgather(&mine, 1, MPI_AINT, starts_.data(), 1, MPI_AINT, comm);
      return;
    }
  }
  std::memset(own_, untouched, array.size());
}

void ExposedArray::free() {
  if (handle_ == MPI_WIN_NULL) return;
  if (attached_) MPI_Win_detach(handle_, array_.data());
  MPI_Win_free(&handle_);
}

void ExposedArray::load(std::size_t bytes) const {
  if (own_ != nullptr) std::memcpy(own_, array_.data(), std::min(bytes, array_.size()));
}

void ExposedArray::store(std::size_t bytes) const {
  if (own_ != nullptr) std::memcpy(array_.data(), own_, std::min(bytes, array_.size()));
}

}  // namespace groma
