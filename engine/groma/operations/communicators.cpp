#include "groma/operations/communicators.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template Entry catalogued<CommDup>();
template Entry catalogued<CommSplit>();

}  // namespace groma
