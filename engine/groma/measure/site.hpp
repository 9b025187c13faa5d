// What a loop has at hand when it calls its operation: buffers' sizes, types, partners.
#pragma once

#include "groma/measure/party.hpp"
#include "groma/mpi/handles.hpp"
#include "groma/plan/point.hpp"
#include "groma/timed/entry.hpp"

namespace groma {

/// The point's own datatype, committed, which the caller frees: of a layout, or of more contiguous elements than the
/// calls can count. MPI_DATATYPE_NULL if it needs none.
MPI_Datatype derived_type(const Info& info, const Point& point, std::int64_t members);

/// This rank's place in the point.
Site site_of(const Info& info, const Point& point, const Party& party, const Datatype& derived);

}  // namespace groma
