#include "groma/device/mirror.hpp"

namespace groma {

Mirror::Side Mirror::side_of(payload::MemoryKind kind, std::byte* used, std::byte* filled, std::int64_t bytes) {
  if (for_host(kind) || bytes == 0) return {};
  return {&driver_of(kind), used, filled, static_cast<std::size_t>(bytes)};
}

Mirror::Mirror(const Point& point, const Needs& needs, const Arrays& used, const Arrays& filled)
    : send_(side_of(send_kind(point), used.send, filled.send, needs.send_bytes)),
      receive_(side_of(receive_kind(point), used.receive, filled.receive, needs.receive_bytes)) {}

template <class Action>
void Mirror::guarded(Action action) {
  if (!lost_.empty()) return;
  try {
    for (const Side* side : {&send_, &receive_}) {
      if (side->driver != nullptr) action(*side);
    }
  } catch (const DeviceError& error) {
    lost_ = error.what();
  }
}

void Mirror::store() {
  guarded([](const Side& side) { side.driver->to_device(side.used, side.filled, side.bytes); });
  synchronise();
}

void Mirror::fetch() {
  synchronise();
  guarded([this](const Side& side) {
    if (&side == &receive_) side.driver->to_host(side.filled, side.used, side.bytes);
  });
}

void Mirror::synchronise() {
  guarded([](const Side& side) { side.driver->synchronise(); });
}

}  // namespace groma
