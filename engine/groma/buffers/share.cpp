#include "groma/buffers/share.hpp"

#include "groma/buffers/payload.hpp"

namespace groma {

Point own_share(const Point& point, int ranks) {
  Point own = point;
  if (point.bytes_of == payload::BytesOf::total) {
    const std::int64_t element = element_bytes(point.datatype);
    own.bytes = point.bytes / ranks / element * element;
  }
  return own;
}

}  // namespace groma
