#pragma once

namespace groma {

/// Writes pages of no use, so that the kernel has all pages that were written before on its list of pages in use.
///
/// Linux gathers the pages that are new on a CPU and puts them on that list when it has enough of them (31 in
/// Linux 6.18, mm/swap.c, `lru_add`). Until then, each time that another process copies from such a page
/// (process_vm_readv), it looks for the page among those of its own CPU: MPI_Bcast of 64 KiB takes 4 % longer where
/// libraries copy so (benchmarks/new_pages.py). What an array's last pages take must not depend on what was written
/// after it.
void list_new_pages();

}  // namespace groma
