#include "groma/operations/packing.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<LocalWork>();

}  // namespace groma
