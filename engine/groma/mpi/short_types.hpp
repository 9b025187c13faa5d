// Datatypes of 16 bits, which no MPI standard has for C: by the names that a library's own header gives them.
#pragma once

#include <mpi.h>
#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace groma {

/// IEEE 754's binary16; MPI_DATATYPE_NULL if the header names none.
inline MPI_Datatype mpi_float16() {
#if defined(MPIX_C_FLOAT16)
  return MPIX_C_FLOAT16;
#elif defined(MPI_REAL2)
  return MPI_REAL2;  // of Fortran, if the library has it
#else
  return MPI_DATATYPE_NULL;
#endif
}

/// As `mpi_float16`.
inline MPI_Datatype mpi_bfloat16() {
#if defined(MPIX_BFLOAT16)
  return MPIX_BFLOAT16;
#else
  return MPI_DATATYPE_NULL;
#endif
}

}  // namespace groma
