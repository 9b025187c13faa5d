#include "groma/operations/catalogue.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "groma/errors.hpp"
#include "groma/timed/entry.hpp"

namespace groma {

/// The entries of a family, made in its source (family.hpp).
template <class Family>
std::vector<Entry> entries_in();

namespace {

/// The names of a list's operations, those of lists in it too, in its order.
template <class... Operations>
consteval auto names_in(OperationList<Operations...>*);
template <class Operation>
consteval auto names_in(Operation*) {
  return std::array{Operation::info.name};
}
template <std::size_t... sizes>
consteval auto joined(const std::array<std::string_view, sizes>&... parts) {
  std::array<std::string_view, (sizes + ...)> all;
  auto place = all.begin();
  ((place = std::ranges::copy(parts, place).out), ...);
  return all;
}
template <class... Operations>
consteval auto names_in(OperationList<Operations...>*) {
  return joined(names_in(static_cast<Operations*>(nullptr))...);
}
constexpr std::array catalogue_names = names_in(static_cast<Catalogue*>(nullptr));

consteval bool one_family_each() {
  auto listed = catalogue_names;
  auto made = names_in(static_cast<Families*>(nullptr));
  std::ranges::sort(listed);
  std::ranges::sort(made);
  return std::ranges::equal(listed, made) && std::ranges::adjacent_find(made) == made.end();
}
static_assert(one_family_each(), "an operation is not once in the catalogue and once in the list of its family");

template <class... Family>
std::vector<Entry> made_by(OperationList<Family...>*) {
  std::vector<Entry> made;
  for (std::vector<Entry>& family : std::array{entries_in<Family>()...})
    std::ranges::move(family, std::back_inserter(made));
  return made;
}

std::vector<Entry> all_entries() {
  std::map<std::string_view, Entry> made;
  for (Entry& entry : made_by(static_cast<Families*>(nullptr))) made.emplace(entry.info.name, std::move(entry));
  std::vector<Entry> entries;
  for (const std::string_view name : catalogue_names) entries.push_back(std::move(made.at(name)));
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
