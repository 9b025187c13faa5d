#include "groma/operations/master_worker.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template Entry catalogued<MasterWaitsome>();
template Entry catalogued<MasterWaitany>();
template Entry catalogued<MasterAnySource>();

}  // namespace groma
