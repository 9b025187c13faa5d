#include "groma/operations/pending.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<PendingRequests>();

}  // namespace groma
