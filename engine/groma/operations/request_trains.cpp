#include "groma/operations/request_trains.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template Entry catalogued<RequestTrains>();

}  // namespace groma
