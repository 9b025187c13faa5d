// MPI functions that older libraries lack. Where the library lacks one, its name here stands for nothing, and
// operations that would call it say so: they are listed, and refused with a sentence.
#pragma once

#include <mpi.h>

#include <cstddef>

namespace groma {
/// SimGrid declares neighbourhood collectives, graphs and MPI_Comm_idup, and ends the program in each.
#if defined(SMPI_H)
inline constexpr bool has_all_of_mpi_3 = false;
#else
inline constexpr bool has_all_of_mpi_3 = true;
#endif
/// Sessions and partitioned messages. Open MPI has them since 5.0, which says that it is MPI 3.1.
#if MPI_VERSION < 4 && !(defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
inline constexpr bool has_mpi_4 = false;
#else
inline constexpr bool has_mpi_4 = true;
#endif
/// MPICH 4.0 copies a rank's data for itself when the persistent request is made, and not when it is started
/// (tests/engine/persistent_alone.c). It ends other persistent collectives with "Invalid communicator", and
/// MPI_Isendrecv on a part of the ranks with a segmentation fault. Intel MPI 2021.18, which shares an engine with other
/// libraries of the standard ABI, has the first two faults too: there the check of what arrived finds them.
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000
inline constexpr bool mpi_4_is_usable = false;
#else
inline constexpr bool mpi_4_is_usable = true;
#endif
}  // namespace groma

// MPI 4.0 has these.
#if MPI_VERSION < 4 && !(defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
// NOLINTBEGIN(readability-identifier-naming): the names are MPI's.
inline constexpr std::nullptr_t MPI_Allgather_init = nullptr;
inline constexpr std::nullptr_t MPI_Allgatherv_init = nullptr;
inline constexpr std::nullptr_t MPI_Allreduce_init = nullptr;
inline constexpr std::nullptr_t MPI_Alltoall_init = nullptr;
inline constexpr std::nullptr_t MPI_Alltoallv_init = nullptr;
inline constexpr std::nullptr_t MPI_Alltoallw_init = nullptr;
inline constexpr std::nullptr_t MPI_Barrier_init = nullptr;
inline constexpr std::nullptr_t MPI_Bcast_init = nullptr;
inline constexpr std::nullptr_t MPI_Exscan_init = nullptr;
inline constexpr std::nullptr_t MPI_Gather_init = nullptr;
inline constexpr std::nullptr_t MPI_Gatherv_init = nullptr;
inline constexpr std::nullptr_t MPI_Isendrecv = nullptr;
inline constexpr std::nullptr_t MPI_Isendrecv_replace = nullptr;
inline constexpr std::nullptr_t MPI_Neighbor_allgather_init = nullptr;
inline constexpr std::nullptr_t MPI_Neighbor_allgatherv_init = nullptr;
inline constexpr std::nullptr_t MPI_Neighbor_alltoall_init = nullptr;
inline constexpr std::nullptr_t MPI_Neighbor_alltoallv_init = nullptr;
inline constexpr std::nullptr_t MPI_Neighbor_alltoallw_init = nullptr;
inline constexpr std::nullptr_t MPI_Reduce_init = nullptr;
inline constexpr std::nullptr_t MPI_Reduce_scatter_block_init = nullptr;
inline constexpr std::nullptr_t MPI_Reduce_scatter_init = nullptr;
inline constexpr std::nullptr_t MPI_Scan_init = nullptr;
inline constexpr std::nullptr_t MPI_Scatter_init = nullptr;
inline constexpr std::nullptr_t MPI_Scatterv_init = nullptr;
// These are called by operations that say what they lack, and never run.
using MPI_Session = void*;
inline constexpr MPI_Session MPI_SESSION_NULL = nullptr;
inline constexpr int MPI_MAX_PSET_NAME_LEN = 1;
#define GROMA_NOTHING(name)                                \
  template <class... Arguments>                            \
  int name([[maybe_unused]] Arguments&&... all) noexcept { \
    return MPI_SUCCESS;                                    \
  }
GROMA_NOTHING(MPI_Comm_create_from_group)
GROMA_NOTHING(MPI_Comm_idup_with_info)
GROMA_NOTHING(MPI_Group_from_session_pset)
GROMA_NOTHING(MPI_Intercomm_create_from_groups)
GROMA_NOTHING(MPI_Parrived)
GROMA_NOTHING(MPI_Pready)
GROMA_NOTHING(MPI_Pready_list)
GROMA_NOTHING(MPI_Pready_range)
GROMA_NOTHING(MPI_Precv_init)
GROMA_NOTHING(MPI_Psend_init)
GROMA_NOTHING(MPI_Session_finalize)
GROMA_NOTHING(MPI_Session_get_nth_pset)
GROMA_NOTHING(MPI_Session_get_num_psets)
GROMA_NOTHING(MPI_Session_init)
#undef GROMA_NOTHING
// NOLINTEND(readability-identifier-naming)
#endif

// MPI 4.1 has these.
#if MPI_VERSION < 4 || (MPI_VERSION == 4 && MPI_SUBVERSION < 1)
// NOLINTBEGIN(readability-identifier-naming): the names are MPI's.
inline constexpr std::nullptr_t MPI_Buffer_flush = nullptr;
inline constexpr std::nullptr_t MPI_Buffer_iflush = nullptr;
inline constexpr std::nullptr_t MPI_Comm_attach_buffer = nullptr;
inline constexpr std::nullptr_t MPI_Comm_detach_buffer = nullptr;
inline constexpr std::nullptr_t MPI_Comm_flush_buffer = nullptr;
inline constexpr std::nullptr_t MPI_Comm_iflush_buffer = nullptr;
inline constexpr std::nullptr_t MPI_Request_get_status_all = nullptr;
inline constexpr std::nullptr_t MPI_Request_get_status_any = nullptr;
inline constexpr std::nullptr_t MPI_Request_get_status_some = nullptr;
inline constexpr std::nullptr_t MPI_Session_attach_buffer = nullptr;
inline constexpr std::nullptr_t MPI_Session_detach_buffer = nullptr;
inline constexpr std::nullptr_t MPI_Session_flush_buffer = nullptr;
inline constexpr std::nullptr_t MPI_Session_iflush_buffer = nullptr;
// NOLINTEND(readability-identifier-naming)
#endif

// Calls with large counts, of MPI 4.0. Open MPI 5 has none.
#if MPI_VERSION < 4
// NOLINTBEGIN(readability-identifier-naming): the names are MPI's.
inline constexpr std::nullptr_t MPI_Allgather_c = nullptr;
inline constexpr std::nullptr_t MPI_Allgatherv_c = nullptr;
inline constexpr std::nullptr_t MPI_Allreduce_c = nullptr;
inline constexpr std::nullptr_t MPI_Alltoall_c = nullptr;
inline constexpr std::nullptr_t MPI_Alltoallv_c = nullptr;
inline constexpr std::nullptr_t MPI_Alltoallw_c = nullptr;
inline constexpr std::nullptr_t MPI_Bcast_c = nullptr;
inline constexpr std::nullptr_t MPI_Exscan_c = nullptr;
inline constexpr std::nullptr_t MPI_Gather_c = nullptr;
inline constexpr std::nullptr_t MPI_Gatherv_c = nullptr;
inline constexpr std::nullptr_t MPI_Neighbor_allgather_c = nullptr;
inline constexpr std::nullptr_t MPI_Neighbor_allgatherv_c = nullptr;
inline constexpr std::nullptr_t MPI_Neighbor_alltoall_c = nullptr;
inline constexpr std::nullptr_t MPI_Neighbor_alltoallv_c = nullptr;
inline constexpr std::nullptr_t MPI_Neighbor_alltoallw_c = nullptr;
inline constexpr std::nullptr_t MPI_Recv_c = nullptr;
inline constexpr std::nullptr_t MPI_Reduce_c = nullptr;
inline constexpr std::nullptr_t MPI_Reduce_scatter_c = nullptr;
inline constexpr std::nullptr_t MPI_Reduce_local_c = nullptr;
inline constexpr std::nullptr_t MPI_Reduce_scatter_block_c = nullptr;
inline constexpr std::nullptr_t MPI_Scan_c = nullptr;
inline constexpr std::nullptr_t MPI_Scatter_c = nullptr;
inline constexpr std::nullptr_t MPI_Scatterv_c = nullptr;
inline constexpr std::nullptr_t MPI_Send_c = nullptr;
// NOLINTEND(readability-identifier-naming)
#endif
