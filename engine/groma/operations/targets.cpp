#include "groma/operations/targets.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<ManyTargets>();

}  // namespace groma
