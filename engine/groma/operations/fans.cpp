#include "groma/operations/fans.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<Fans>();

}  // namespace groma
