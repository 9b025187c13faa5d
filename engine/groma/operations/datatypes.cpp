#include "groma/operations/datatypes.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<DatatypeCalls>();

}  // namespace groma
