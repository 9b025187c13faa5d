// What it costs to take memory from MPI, and to ask where another rank's part of a shared window is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "groma/info.hpp"
#include "groma/mpi/missing.hpp"
#include "groma/parameter.hpp"

namespace groma {

struct AllocatedBytes {
  std::int64_t bytes = 0;
  static constexpr auto table() {
    return std::array{option<&AllocatedBytes::bytes>(
        parameter::size("allocated_bytes", "4096", {1, 1e12}, "memory that is taken from MPI"))};
  }
};

struct AllocMem : Placed {
  using Options = AllocatedBytes;
  static constexpr Info info{.name = "alloc_mem",
                             .summary = "Memory taken from MPI, and given back untouched.",
                             .calls = "MPI_Alloc_mem, MPI_Free_mem",
                             .time = "memory taken once and given back"};
  Options options;
  void step() noexcept {
    void* memory = nullptr;
    MPI_Alloc_mem(static_cast<MPI_Aint>(options.bytes), MPI_INFO_NULL, static_cast<void*>(&memory));
    MPI_Free_mem(memory);
  }
};

struct WinSharedQuery : Placed {
  using Options = AllocatedBytes;
  static constexpr Info info{.name = "win_shared_query",
                             .summary = "Where the part of a host's last rank is in a window that its ranks share.",
                             .calls = "MPI_Win_shared_query"};
  static constexpr std::string_view lacks = has_all_of_mpi_3 ? "" : "MPI_Win_shared_query";
  Options options;
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Win window = MPI_WIN_NULL;
  void* place = nullptr;
  int last = 0;
  void open() {
    MPI_Comm_split_type(site.comm, MPI_COMM_TYPE_SHARED, site.rank, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &last);
    --last;
    MPI_Win_allocate_shared(static_cast<MPI_Aint>(options.bytes), 1, MPI_INFO_NULL, host, static_cast<void*>(&place),
                            &window);
  }
  void close() {
    MPI_Win_free(&window);
    MPI_Comm_free(&host);
  }
  void step() noexcept {
    MPI_Aint bytes = 0;
    int unit = 0;
    MPI_Win_shared_query(window, last, &bytes, &unit, static_cast<void*>(&place));
  }
};

using MemoryCalls = OperationList<AllocMem, WinSharedQuery>;

}  // namespace groma
