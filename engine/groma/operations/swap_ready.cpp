// The protocols of swaps that send by MPI_Rsend and MPI_Irsend.
#include "groma/operations/swap_forms.hpp"

namespace groma {

template Entry catalogued<Swap<swap::Ready>>();
template Entry catalogued<Swap<swap::NonblockingReady>>();

}  // namespace groma
