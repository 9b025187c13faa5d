#include "groma/operations/epoch_phases.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<EpochPhases>();

}  // namespace groma
