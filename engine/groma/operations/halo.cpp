#include "groma/operations/halo.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<HaloExchanges>();

}  // namespace groma
