#include "groma/operations/neighbourhoods.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<Neighbourhoods>();

}  // namespace groma
