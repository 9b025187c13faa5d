#include "groma/operations/harness.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<HarnessCalls>();

}  // namespace groma
