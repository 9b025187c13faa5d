#include "groma/operations/atomics.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<Accumulates>();
template std::vector<Entry> entries_in<Atomics>();

}  // namespace groma
