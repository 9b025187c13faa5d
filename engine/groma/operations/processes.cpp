#include "groma/operations/processes.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<Processes>();

}  // namespace groma
