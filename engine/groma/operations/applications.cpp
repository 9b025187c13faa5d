#include "groma/operations/applications.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template Entry catalogued<HaloApplication>();
template Entry catalogued<TransposeApplication>();
template Entry catalogued<GradientApplication>();

}  // namespace groma
