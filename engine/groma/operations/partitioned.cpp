#include "groma/operations/partitioned.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<Partitions>();

}  // namespace groma
