#include "groma/measure/subject.hpp"

#include "groma/buffers/cache.hpp"
#include "groma/measure/site.hpp"

namespace groma {
namespace {

/// The site, with all places of both arrays, and the CPUs of its threads.
Site with_arrays(Site site, const Point& point, const Arena& arena, const Needs& one_set, std::span<const int> cpus) {
  site.cpus = cpus;
  const Needs all = arena_needs(point, one_set);
  const Arrays arrays = lay_out(arena, point);
  site.send_array = {arrays.send, static_cast<std::size_t>(all.send_bytes)};
  site.receive_array = {arrays.receive, static_cast<std::size_t>(all.receive_bytes)};
  return site;
}

}  // namespace

Needs own_needs(const Configured& operation, const Point& point, const Party& party) {
  return needs_of(operation.info(), point, operation.memory(extents_of(point, party.work.size())));
}

Subject::Subject(const Configured& configured, const Point& point, const Party& party, const Arena& arena,
                 const Arrays& filled)
    : configured_(configured),
      point_(point),
      arena_(arena),
      filled_(filled),
      layout_type_(derived_type(configured_.info(), point, party.work.size())),
      thread_cpus_(configured_.entry().threads == nullptr ? ThreadCpus()
                                                          : groma::thread_cpus(party.control, configured_.threads())),
      site_(with_arrays(site_of(configured_.info(), point, party, layout_type_), point, arena,
                        own_needs(configured_, point, party), thread_cpus_.own)),
      touching_(point, payload()),
      operation_(configured_.make(site_, buffers_for(configured_.info(), point, lay_out(arena, point)))) {
  if (touches_inside(point)) entry().touch(operation_.get(), touching_.of(site_.root));
}

Payload Subject::payload() const {
  const Memory messages = configured_.memory_of_thread({.bytes = 1, .ranks = site_.ranks});
  return {info(),
          point_,
          site_,
          filled_,
          {configured_.contents(site_), messages.send_bytes, messages.receive_bytes, configured_.lanes(),
           configured_.memory_of_thread(extents_of(point_, site_.ranks))}};
}

void Subject::place(const Arrays& arrays) const {
  entry().place(operation_.get(), buffers_for(info(), point_, arrays));
}

void Subject::expose() const {
  if (entry().expose != nullptr) entry().expose(operation_.get());
}

void Subject::deliver() const {
  if (entry().deliver != nullptr) entry().deliver(operation_.get());
}

void Subject::ready() const {
  if (on_file()) entry().ready(operation_.get());
}

std::optional<FileFacts> Subject::file() const {
  return entry().file != nullptr ? std::optional(entry().file(operation_.get())) : std::nullopt;
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
