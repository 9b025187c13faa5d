#include "groma/operations/files.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<FileWrites>();

}  // namespace groma
