#include "groma/operations/memory_calls.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<MemoryCalls>();

}  // namespace groma
