// Makes the loops of one family of operations. Only the family's own sources include it: families compile in parallel,
// and a change in one of them compiles that one alone.
#pragma once

#include "groma/timed/entry.hpp"

namespace groma {

template <class Operation>
Entry catalogued() {
  return entry_of<Operation>();
}

}  // namespace groma
