// Ranks that load the network while others are measured: they begin before these, and stop when these have met the
// world's barrier, which they have entered before. A member that fails meets it too.
#include <algorithm>

#include "groma/launch/points.hpp"

namespace groma {

std::unique_ptr<Load> PointRunner::load_of(std::size_t index) const {
  const PlannedLoad& load = agenda_.load(index);
  if (!load.party || load.party->work.null()) return nullptr;
  return std::make_unique<Load>(context_, *load.operation, *load.point, *load.party);
}

namespace {
constexpr int load_has_begun = 8;  // a tag
}

/// On the members of the point: returns once the others load.
void PointRunner::await_load(std::size_t index) const {
  const PlannedLoad& load = agenda_.load(index);
  if (!load.party) return;
  const Party& party = agenda_.party(index);
  if (context_.watchdog != nullptr) context_.watchdog->enter("waiting for the load", nullptr, nullptr, 0);
  if (world_.rank() == party.members.front()) {
    MPI_Recv(nullptr, 0, MPI_BYTE, load.party->members.front(), load_has_begun, world_.get(), MPI_STATUS_IGNORE);
  }
  MPI_Barrier(party.control.get());
}

void PointRunner::load_until_met(const Progress& progress) const {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(world_.get(), &request);
  progress.load->run(
      [&] {
        MPI_Send(nullptr, 0, MPI_BYTE, agenda_.party(progress.index).members.front(), load_has_begun, world_.get());
      },
      [&] {
        int met = 0;
        MPI_Test(&request, &met, MPI_STATUS_IGNORE);
        return met == 1;
      });
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/// What was sent until now; no ranks without a load. Collective over the world.
schema::Load PointRunner::load_record(const Progress& progress) const {
  constexpr std::size_t most_listed = 64;
  const PlannedLoad& load = agenda_.load(progress.index);
  const auto listed = static_cast<std::ptrdiff_t>(std::min(most_listed, load.ranks.size()));
  schema::Load record{.ranks = {load.ranks.begin(), load.ranks.begin() + listed}};
  if (!load.party) return record;
  const method::Load kind = agenda_.point(progress.index).load;
  if (progress.load) record.bytes = progress.load->calls() * bytes_of_call(load, kind);
  if (progress.load) record.seconds = progress.load->seconds();
  MPI_Allreduce(MPI_IN_PLACE, &record.bytes, 1, MPI_INT64_T, MPI_MAX, world_.get());
  MPI_Allreduce(MPI_IN_PLACE, &record.seconds, 1, MPI_DOUBLE, MPI_MAX, world_.get());
  return record;
}

}  // namespace groma
