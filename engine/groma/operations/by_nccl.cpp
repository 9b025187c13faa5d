#include "groma/operations/by_nccl.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<NcclOperations>();

}  // namespace groma
