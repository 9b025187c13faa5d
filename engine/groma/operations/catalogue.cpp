#include "groma/operations/catalogue.hpp"

#include "groma/measure/entry.hpp"

namespace groma {

const std::vector<Entry>& catalogue() {
  static const std::vector<Entry> entries = entries_of(Catalogue{});
  return entries;
}

}  // namespace groma
