#include "groma/operations/harness.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template Entry catalogued<Noop>();
template Entry catalogued<Wtime>();
template Entry catalogued<CommRank>();

}  // namespace groma
