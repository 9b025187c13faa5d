#include "groma/operations/then_barrier.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<ThenBarriers>();

}  // namespace groma
