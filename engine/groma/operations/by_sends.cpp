#include "groma/operations/by_sends.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<CollectivesByHand>();

}  // namespace groma
