#include "groma/measure/site.hpp"

#include "groma/buffers/layout.hpp"
#include "groma/buffers/payload.hpp"
#include "groma/buffers/reduction.hpp"

namespace groma {

MPI_Datatype derived_type(const Info& info, const Point& point, std::int64_t members) {
  const Layout layout = layout_of(point);
  if (!info.large && layout.contiguous() && exceeds_counts(info, point, members)) {
    return make_contiguous(layout.elements(), mpi_type(point.datatype));
  }
  return layout.contiguous() ? MPI_DATATYPE_NULL : layout.make(mpi_type(point.datatype));
}

Site site_of(const Info& info, const Point& point, const Party& party, const Datatype& derived) {
  Site site;
  site.comm = party.work.get();
  site.rank = party.work.rank();
  site.ranks = party.work.size();
  site.first = info.parties == Parties::pairs ? site.rank % 2 == 0 : site.rank == 0;
  site.partner = site.rank % 2 == 0 ? site.rank + 1 : site.rank - 1;
  site.left = (site.rank + site.ranks - 1) % site.ranks;
  site.right = (site.rank + 1) % site.ranks;
  site.ring = party.lane;
  site.root = static_cast<int>(point.root_rank);
  site.roots_change = info.rooted && point.root != method::Root::fixed ? 1 : 0;
  const Layout layout = layout_of(point);
  site.counted.number = derived.is_null() ? layout.elements() : 1;
  site.count = static_cast<int>(site.counted.number);
  site.elements = layout.elements();
  site.type = derived.or_else(mpi_type(point.datatype));
  if (info.reduces) site.reduction = info.one_sided ? predefined_reduction(point) : mpi_reduction(point);
  site.message_bytes = layout.extent_bytes();
  site.element_bytes = element_bytes(point.datatype);
  return site;
}

}  // namespace groma
