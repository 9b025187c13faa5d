#include "groma/operations/epochs_alone.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<EpochsAlone>();
template std::vector<Entry> entries_in<WindowsMade>();

}  // namespace groma
