// What a loop has at hand when it calls its operation: buffers' sizes, types, partners.
#pragma once

#include <span>
#include <vector>

#include "groma/measure/entry.hpp"
#include "groma/measure/party.hpp"
#include "groma/mpi/handles.hpp"
#include "groma/patterns/transfers.hpp"
#include "groma/plan/point.hpp"

namespace groma {

/// The point's own datatype, committed, which the caller frees; MPI_DATATYPE_NULL where its messages are contiguous.
MPI_Datatype derived_type(const Point& point);

/// The list of messages of an operation that has one.
std::vector<Transfer> transfers_of(const Entry& entry, const Point& point, const Party& party);

/// This rank's place in the point; `transfers` must outlive it.
Site site_of(const Entry& entry, const Point& point, const Party& party, const Datatype& derived,
             std::span<const Transfer> transfers);

}  // namespace groma
