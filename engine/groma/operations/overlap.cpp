#include "groma/operations/overlap.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template Entry catalogued<Overlap>();

}  // namespace groma
