#include "groma/operations/point_to_point.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<PointToPoint>();

}  // namespace groma
