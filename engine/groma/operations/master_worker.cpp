#include "groma/operations/master_worker.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<MasterWorkers>();

}  // namespace groma
