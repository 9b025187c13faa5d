#include "groma/operations/reductions.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<Reductions>();

}  // namespace groma
