// The protocols of swaps that send by MPI_Ssend and MPI_Issend.
#include "groma/operations/swap_forms.hpp"

namespace groma {

template Entry catalogued<Swap<swap::NonblockingSendSync>>();
template Entry catalogued<Swap<swap::NonblockingReceiveSync>>();
template Entry catalogued<Swap<swap::NonblockingSync>>();
template Entry catalogued<Swap<swap::SimpleSync>>();

}  // namespace groma
