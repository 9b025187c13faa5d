// The protocols of swaps that send by MPI_Ssend and MPI_Issend.
#include "groma/operations/swap_forms.hpp"

namespace groma {

template std::vector<Entry> entries_in<SynchronousSwaps>();

}  // namespace groma
