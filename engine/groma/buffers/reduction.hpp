// What combines the elements of a reduction: MPI's own operation for contiguous elements, and one of Groma's for other
// datatypes, because MPI's own work on predefined types only (MPI-4.1, 6.9.2).
#pragma once

#include <mpi.h>

#include <string>

#include "groma/plan/point.hpp"

namespace groma {

/// The operation of the point's `reduction` on its `datatype` and `layout`; the caller must not free it.
MPI_Op mpi_reduction(const Point& point);

/// MPI's own operation of that name, for calls that take no other.
MPI_Op predefined_reduction(const Point& point);

/// Why MPI does not define the point's `reduction` on its `datatype`; empty if it does.
std::string undefined_reduction(const Point& point);

/// Why this library refuses a reduction that MPI does not define, such as the sum of chars; empty if it computes
/// it. Needs MPI to be initialised.
std::string reduction_refusal(const Point& point);

}  // namespace groma
