#include "groma/operations/file_calls.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<FileCalls>();

}  // namespace groma
