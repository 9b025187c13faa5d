// Makes the loops of one family of operations. Only the family's own sources include it: families compile in parallel,
// and a change in one of them compiles that one alone.
#pragma once

#include "groma/timed/entry_of.hpp"

namespace groma {

template <class Operation>
void add_entries(std::vector<Entry>& entries, Operation*) {
  entries.push_back(entry_of<Operation>());
}

/// A list in a list stands for its operations.
template <class... Operations>
void add_entries(std::vector<Entry>& entries, OperationList<Operations...>*) {
  (add_entries(entries, static_cast<Operations*>(nullptr)), ...);
}

/// The entries of a family's operations, in the order of its list.
template <class Family>
std::vector<Entry> entries_in() {
  std::vector<Entry> entries;
  add_entries(entries, static_cast<Family*>(nullptr));
  return entries;
}

}  // namespace groma
