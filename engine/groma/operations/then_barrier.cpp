#include "groma/operations/then_barrier.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template Entry catalogued<BcastThenBarrier>();
template Entry catalogued<ReduceThenBarrier>();
template Entry catalogued<AllreduceThenBarrier>();
template Entry catalogued<AlltoallThenBarrier>();

}  // namespace groma
