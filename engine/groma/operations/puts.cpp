#include "groma/operations/puts.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<Puts>();
template std::vector<Entry> entries_in<Gets>();

}  // namespace groma
