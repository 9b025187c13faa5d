#include "groma/operations/request_trains.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template std::vector<Entry> entries_in<TrainsOfRequests>();

}  // namespace groma
