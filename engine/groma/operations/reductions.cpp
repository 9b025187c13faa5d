#include "groma/operations/reductions.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template Entry catalogued<Allreduce>();
template Entry catalogued<ReduceScatter>();
template Entry catalogued<ReduceScatterBlock>();
template Entry catalogued<Scan>();
template Entry catalogued<Exscan>();

}  // namespace groma
