// The protocols of swaps that send by MPI_Send and MPI_Isend.
#include "groma/operations/swap_forms.hpp"

namespace groma {

template Entry catalogued<Swap<swap::Simple>>();
template Entry catalogued<Swap<swap::NonblockingSend>>();
template Entry catalogued<Swap<swap::NonblockingReceive>>();
template Entry catalogued<Swap<swap::Nonblocking>>();
template Entry catalogued<Swap<swap::Synchronous>>();

}  // namespace groma
