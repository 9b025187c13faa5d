#include "groma/operations/catalogue.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <type_traits>
#include <utility>

#include "groma/errors.hpp"
#include "groma/timed/entry.hpp"

namespace groma {

/// The entries of a family, made in its source (family.hpp).
template <class Family>
std::vector<Entry> entries_in();

namespace {

/// How many operations of this type a list holds, those of lists in it too; `AnyOperation` counts all.
struct AnyOperation {};
template <class Counted, class Operation>
inline constexpr int count_in = std::is_same_v<Counted, Operation> || std::is_same_v<Counted, AnyOperation> ? 1 : 0;
template <class Counted, class... Operations>
inline constexpr int count_in<Counted, OperationList<Operations...>> = (count_in<Counted, Operations> + ...);
static_assert(count_in<AnyOperation, Catalogue> == count_in<AnyOperation, Families>,
              "an operation is in the list of its family and not in the catalogue");

using EntriesByName = std::map<std::string_view, Entry>;

template <class... Family>
EntriesByName made_by(OperationList<Family...>*) {
  EntriesByName made;
  for (std::vector<Entry>& family : std::array{entries_in<Family>()...}) {
    for (Entry& entry : family) made.emplace(entry.info.name, std::move(entry));
  }
  return made;
}

template <class Operation>
void add_entries(std::vector<Entry>& entries, EntriesByName& made, Operation*) {
  static_assert(count_in<Operation, Families> == 1, "an operation of the catalogue is not in the list of its family");
  entries.push_back(std::move(made.at(Operation::info.name)));
}

/// A list in a list stands for its operations.
template <class... Operations>
void add_entries(std::vector<Entry>& entries, EntriesByName& made, OperationList<Operations...>*) {
  (add_entries(entries, made, static_cast<Operations*>(nullptr)), ...);
}

std::vector<Entry> all_entries() {
  std::vector<Entry> entries;
  EntriesByName made = made_by(static_cast<Families*>(nullptr));
  add_entries(entries, made, static_cast<Catalogue*>(nullptr));
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
