#include "groma/operations/sessions.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<Sessions>();

}  // namespace groma
