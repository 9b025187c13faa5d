// The protocols of swaps that send by MPI_Rsend and MPI_Irsend.
#include "groma/operations/swap_forms.hpp"

namespace groma {

template std::vector<Entry> entries_in<ReadySwaps>();

}  // namespace groma
