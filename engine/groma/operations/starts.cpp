#include "groma/operations/starts.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<Starts>();

}  // namespace groma
