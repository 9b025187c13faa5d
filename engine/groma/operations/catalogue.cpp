#include "groma/operations/catalogue.hpp"

namespace groma {

const std::vector<Entry>& catalogue() {
  static const std::vector<Entry> entries = entries_of(Catalogue{});
  return entries;
}

}  // namespace groma
