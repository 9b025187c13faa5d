#include "groma/operations/overlap.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<Overlaps>();

}  // namespace groma
