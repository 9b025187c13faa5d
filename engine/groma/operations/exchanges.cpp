#include "groma/operations/exchanges.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<Exchanges>();

}  // namespace groma
