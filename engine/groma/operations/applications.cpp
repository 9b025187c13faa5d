#include "groma/operations/applications.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<Applications>();

}  // namespace groma
