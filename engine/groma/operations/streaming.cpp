#include "groma/operations/streaming.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<Streams>();

}  // namespace groma
