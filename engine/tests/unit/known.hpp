// What tests ask of the catalogue for one operation.
#pragma once

#include <utility>

#include "groma/buffers/arena.hpp"
#include "groma/buffers/payload.hpp"
#include "groma/record/point_json.hpp"

namespace groma {

inline Configured known(const Info& info, const Settings& settings = {}) {
  return {entry_named(catalogue(), info.name), settings};
}

/// What one rank needs for a point of this operation among a number of ranks.
inline Needs needs(const Info& info, const Point& point, int ranks) {
  return needs_of(info, point, known(info, point.parameters).memory(extents_of(point, ranks)));
}

inline Payload payload_of(const Info& info, const Point& point, const Site& site, const Arrays& arrays,
                          Contents contents) {
  const Memory messages = known(info, point.parameters).memory({.bytes = 1, .ranks = site.ranks});
  return {info, point, site, arrays, {std::move(contents), messages.send_bytes, messages.receive_bytes, 1, messages}};
}

inline Payload payload_of(const Info& info, const Point& point, const Site& site, const Arrays& arrays) {
  return payload_of(info, point, site, arrays, known(info, point.parameters).contents(site));
}

}  // namespace groma
