#include "groma/operations/exchanges.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template Entry catalogued<Barrier>();
template Entry catalogued<Allgather>();
template Entry catalogued<Allgatherv>();
template Entry catalogued<Alltoall>();
template Entry catalogued<AlltoallAlternating>();
template Entry catalogued<Alltoallv>();
template Entry catalogued<Alltoallw>();

}  // namespace groma
