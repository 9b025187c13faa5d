#include "groma/buffers/arena.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "groma/buffers/layout.hpp"
#include "groma/buffers/payload.hpp"

namespace groma {

std::int64_t region_bytes(Size size, const Shape& shape) {
  switch (size) {
    case Size::none:
      return 0;
    case Size::message:
      return shape.bytes;
    case Size::two:
      return 2 * shape.bytes;
    case Size::window:
      return shape.window_places * shape.bytes;
    case Size::per_rank:
      return shape.ranks * shape.bytes;
    case Size::transfers: {
      const Heaviest most = heaviest(draw_transfers(shape.transfers), shape.transfers.ranks);
      return shape.element_bytes * std::max(most.sent, most.received);
    }
    case Size::faces:
      return 2 * shape.dimensions * shape.bytes;
    case Size::targets:
      return shape.window * shape.targets * shape.bytes;
  }
  return 0;
}

Shape shape_of(const Point& point, std::int64_t members) {
  const std::int64_t element = element_bytes(point.datatype);
  return {.bytes = point.bytes,
          .ranks = members,
          .window = point.window,
          .window_places = point.receive_window == "one" ? 1 : point.window,
          .swap_messages = point.swap_messages,
          .element_bytes = element,
          .transfers = {.ranks = static_cast<int>(members),
                        .messages = static_cast<int>(point.map_messages),
                        .both_ways = point.map_sides == "double",
                        .seed = static_cast<std::uint32_t>(point.map_seed),
                        .longest = point.bytes / element},
          .dimensions = point.dimensions,
          .targets = point.targets};
}

Needs needs_of(const Info& info, const Point& point, int members) {
  Shape shape = shape_of(point, members);
  shape.bytes = layout_of(point).extent_bytes();
  const bool one_buffer = info.send == Size::transfers && point.map_send_buffer == "one";
  Needs needs{.send_bytes = region_bytes(one_buffer ? Size::message : info.send, shape),
              .receive_bytes = region_bytes(info.receive, shape)};
  needs.slack_bytes = 2 * point.alignment + point.receive_offset;
  // With one array, or MPI_IN_PLACE, the receive array holds what is sent too.
  if (info.sharing == Sharing::single || point.buffers == "same") {
    needs.receive_bytes = std::max(needs.send_bytes, needs.receive_bytes);
  }
  return needs;
}

Needs Needs::or_more(const Needs& other) const {
  return {.send_bytes = std::max(send_bytes, other.send_bytes),
          .receive_bytes = std::max(receive_bytes, other.receive_bytes),
          .sweep_bytes = std::max(sweep_bytes, other.sweep_bytes),
          .slack_bytes = std::max(slack_bytes, other.slack_bytes)};
}

void Unmap::operator()(std::byte* start) const { munmap(start, bytes); }

Arena::Region Arena::touched(std::size_t bytes) {
  if (bytes == 0) return {};
  void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) throw std::bad_alloc();
  auto* region = static_cast<std::byte*>(start);
  constexpr std::uint64_t no_zero_byte = 0x0101010101010101;
  for (std::size_t i = 0; i + sizeof no_zero_byte <= bytes; i += sizeof no_zero_byte) {
    const std::uint64_t word = (i * 0x9E3779B97F4A7C15) | no_zero_byte;
    std::memcpy(region + i, &word, sizeof word);
  }
  return Region(region, Unmap{bytes});
}

Arena::Arena(const Needs& needs)
    : send_bytes_(static_cast<std::size_t>(needs.send_bytes + needs.slack_bytes)),
      receive_bytes_(static_cast<std::size_t>(needs.receive_bytes + needs.slack_bytes)),
      sweep_bytes_(static_cast<std::size_t>(needs.sweep_bytes)),
      send_(touched(send_bytes_)),
      receive_(touched(receive_bytes_)),
      sweep_(touched(sweep_bytes_)) {}

}  // namespace groma
