#include "groma/operations/communicators.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<CommunicatorCalls>();

}  // namespace groma
