#include "groma/measure/subject.hpp"

#include "groma/measure/site.hpp"

namespace groma {

Subject::Subject(const Configured& configured, const Point& point, const Party& party, const Arena& arena)
    : configured_(configured),
      point_(point),
      arena_(arena),
      layout_type_(derived_type(configured_.info(), point, party.work.size())),
      site_(site_of(configured_.info(), point, party, layout_type_)),
      touching_(point, payload()),
      operation_(configured_.make(site_, buffers_for(configured_.info(), point, lay_out(arena, point)))) {
  if (touches_inside(point)) entry().touch(operation_.get(), touching_.of(site_.root));
}

Payload Subject::payload() const {
  const Memory messages = configured_.memory({.bytes = 1, .ranks = site_.ranks});
  return {info(),
          point_,
          site_,
          lay_out(arena_, point_),
          {configured_.contents(site_), messages.send_bytes, messages.receive_bytes}};
}

void Subject::place(const Arrays& arrays) const {
  entry().place(operation_.get(), buffers_for(info(), point_, arrays));
}

std::vector<std::int64_t> Subject::take_phases(const std::vector<std::size_t>& repetitions) const {
  std::vector<std::int64_t> kept;
  if (entry().take_phases == nullptr) return kept;
  const std::vector<std::int64_t> taken = entry().take_phases(operation_.get());
  const std::size_t width = entry().phases.size();
  for (const std::size_t at : repetitions) {
    for (std::size_t phase = 0; phase < width; ++phase) kept.push_back(taken[at * width + phase]);
  }
  return kept;
}

}  // namespace groma
