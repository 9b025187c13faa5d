#include "groma/operations/targets.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template Entry catalogued<Targets>();
template Entry catalogued<TargetsAnySource>();

}  // namespace groma
