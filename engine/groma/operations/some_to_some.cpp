#include "groma/operations/some_to_some.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<SomeToSomes>();

}  // namespace groma
