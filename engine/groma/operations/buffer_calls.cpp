#include "groma/operations/buffer_calls.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<BufferCalls>();

}  // namespace groma
