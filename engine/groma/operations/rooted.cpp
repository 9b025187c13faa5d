#include "groma/operations/rooted.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template Entry catalogued<Bcast>();
template Entry catalogued<BcastSegmented>();
template Entry catalogued<Reduce>();
template Entry catalogued<Gather>();
template Entry catalogued<Gatherv>();
template Entry catalogued<Scatter>();
template Entry catalogued<Scatterv>();

}  // namespace groma
