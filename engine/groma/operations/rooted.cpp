#include "groma/operations/rooted.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<RootedCollectives>();

}  // namespace groma
