// Makes the loops of one family of operations. Only the family's own sources include it: families compile in parallel,
// and a change in one of them compiles that one alone.
#pragma once

#include "groma/timed/entry.hpp"

namespace groma {

template <class... Operations>
std::vector<Entry> entries_of_all(OperationList<Operations...>*) {
  return {entry_of<Operations>()...};
}

/// The entries of a family's operations, in the order of its list.
template <class Family>
std::vector<Entry> entries_in() {
  return entries_of_all(static_cast<Family*>(nullptr));
}

}  // namespace groma
