#include "groma/operations/some_to_some.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template Entry catalogued<StsAsync>();
template Entry catalogued<StsSync>();

}  // namespace groma
