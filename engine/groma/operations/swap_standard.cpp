// The protocols of swaps that send by MPI_Send and MPI_Isend.
#include "groma/operations/swap_forms.hpp"

namespace groma {

template std::vector<Entry> entries_in<StandardSwaps>();

}  // namespace groma
