// What a launch says of itself and of its machine before the first point.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "groma/clock/keeper.hpp"
#include "groma/clock/readings.hpp"
#include "groma/launch/agenda.hpp"
#include "groma/launch/memory.hpp"
#include "groma/launch/ranks.hpp"
#include "groma/measure/launch_context.hpp"
#include "groma/mpi/launcher.hpp"
#include "groma/patterns/search.hpp"
#include "groma/schema/records.hpp"

namespace groma {

/// What it is told from, beside the ranks and the agenda.
struct StartFacts {
  const Launcher& launcher;
  const std::vector<std::string>& arguments;
  const LaunchContext& context;
  const TimeKeeper& keeper;
  const PairFinder& pairs;
  const MemoryNeeds& memory;
};

/// The start record, on rank 0; measures the machine. Collective over the world.
schema::Start start_record(const Ranks& ranks, const Agenda& agenda, const StartFacts& facts);

}  // namespace groma
