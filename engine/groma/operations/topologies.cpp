#include "groma/operations/topologies.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<Topologies>();

}  // namespace groma
