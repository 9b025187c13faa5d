#include "groma/operations/catalogue.hpp"

#include <algorithm>
#include <string>

#include "groma/errors.hpp"

namespace groma {

/// The entry of an operation, instantiated in its family's source (family.hpp).
template <class Operation>
Entry catalogued();

namespace {

template <class Operation>
void add_entries(std::vector<Entry>& entries, Operation*) {
  entries.push_back(catalogued<Operation>());
}

/// A list in a list stands for its operations.
template <class... Operations>
void add_entries(std::vector<Entry>& entries, OperationList<Operations...>*) {
  (add_entries(entries, static_cast<Operations*>(nullptr)), ...);
}

std::vector<Entry> all_entries() {
  std::vector<Entry> entries;
  add_entries(entries, static_cast<Catalogue*>(nullptr));
  return entries;
}

void add_parameters(std::vector<Parameter>& all, std::span<const Option> options, std::string_view operation) {
  for (const Option& one : options) {
    const auto known = std::ranges::find(all, one.parameter.name, &Parameter::name);
    if (known == all.end()) {
      all.push_back(one.parameter);
    } else if (!same_parameter(*known, one.parameter)) {
      throw InputError("the parameter " + std::string(one.parameter.name) + " of " + std::string(operation) +
                       " is declared differently by another operation; give it a name of its own, or share the "
                       "declaration");
    }
  }
}

}  // namespace

const std::vector<Entry>& catalogue() {
  static const std::vector<Entry> entries = all_entries();
  return entries;
}

std::vector<Parameter> parameters_of(const std::vector<Entry>& entries) {
  std::vector<Parameter> all;
  // These come first, as they always have in records, tables and help; all others in the order of the operations.
  add_parameters(all, option_table<StreamOptions>, "");
  add_parameters(all, option_table<SegmentOptions>, "");
  add_parameters(all, option_table<TransferOptions>, "");
  add_parameters(all, option_table<SwapOptions>, "");
  for (const Entry& entry : entries) add_parameters(all, entry.options, entry.info.name);
  return all;
}

}  // namespace groma
