#include "groma/measure/site.hpp"

#include <utility>

#include "groma/buffers/layout.hpp"
#include "groma/buffers/payload.hpp"
#include "groma/buffers/reduction.hpp"
#include "groma/patterns/ring.hpp"

namespace groma {

MPI_Datatype derived_type(const Point& point) {
  const Layout layout = layout_of(point);
  return layout.contiguous() ? MPI_DATATYPE_NULL : layout.make(mpi_type(point.datatype));
}

std::vector<Transfer> transfers_of(const Entry& entry, const Point& point, const Party& party) {
  if (entry.info.send != Size::transfers) return {};
  return draw_transfers(shape_of(point, party.work.size()).transfers);
}

Site site_of(const Entry& entry, const Point& point, const Party& party, const Datatype& derived,
             std::span<const Transfer> transfers) {
  Site site;
  site.comm = party.work.get();
  site.signals = party.signals.get();
  site.rank = party.work.rank();
  site.ranks = party.work.size();
  site.first = entry.info.parties == Parties::pairs ? site.rank % 2 == 0 : site.rank == 0;
  site.partner = site.rank % 2 == 0 ? site.rank + 1 : site.rank - 1;
  site.left = (site.rank + site.ranks - 1) % site.ranks;
  site.right = (site.rank + 1) % site.ranks;
  site.root = static_cast<int>(point.root_rank);
  const Layout layout = layout_of(point);
  site.count = layout.contiguous() ? static_cast<int>(layout.elements()) : 1;
  site.window = static_cast<int>(point.window);
  site.segments = static_cast<int>(point.segments);
  site.swap_messages = static_cast<int>(point.swap_messages);
  site.type = derived.or_else(mpi_type(point.datatype));
  if (entry.info.reduces) site.reduction = mpi_reduction(point);
  site.message_bytes = layout.extent_bytes();
  site.window_stride = point.receive_window == "one" ? 0 : site.message_bytes;
  site.element_bytes = element_bytes(point.datatype);
  site.transfers = transfers;
  site.send_from = point.map_send_buffer == "one" ? SendFrom::one_buffer : SendFrom::places;
  site.compute = point.compute;
  site.tests = static_cast<int>(point.tests);
  if (entry.info.send == Size::faces) site.grid = grid_of(site.ranks, site.rank, static_cast<int>(point.dimensions));
  if (entry.info.parties == Parties::targets) {
    Partners partners = partners_of(site.rank, party.lane, static_cast<int>(point.targets));
    site.targets = std::move(partners.targets);
    site.sources = std::move(partners.sources);
  }
  return site;
}

}  // namespace groma
