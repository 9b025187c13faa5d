#include "groma/operations/streaming.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template Entry catalogued<Stream>();
template Entry catalogued<BiStream>();
template Entry catalogued<BiMessageRate>();
template Entry catalogued<MessageRate>();

}  // namespace groma
