#include "groma/operations/halo.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template Entry catalogued<HaloSendrecv>();
template Entry catalogued<HaloIsendRecv>();
template Entry catalogued<HaloIsendIrecv>();
template Entry catalogued<HaloAllAtOnce>();
template Entry catalogued<HaloPersistent>();
#if !defined(SMPI_H)
template Entry catalogued<HaloNeighbourhood>();  // SimGrid lacks neighbourhood collectives
#endif

}  // namespace groma
