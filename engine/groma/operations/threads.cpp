#include "groma/operations/threads.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<Threads>();

}  // namespace groma
