#include "groma/operations/point_to_point.hpp"

#include "groma/operations/family.hpp"

namespace groma {

template Entry catalogued<PingPong>();
template Entry catalogued<PingPongSynchronous>();
template Entry catalogued<PingPongIsend>();
template Entry catalogued<PingPongIrecv>();
template Entry catalogued<PingPongAnySource>();
template Entry catalogued<DelayedReceiver>();
template Entry catalogued<PingPing>();
template Entry catalogued<PingPingPosted>();
template Entry catalogued<SendRecv>();
template Entry catalogued<SendRecvPairwise>();
template Entry catalogued<Exchange>();

}  // namespace groma
