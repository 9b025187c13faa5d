#include "groma/buffers/arena.hpp"

#include <mpi.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "groma/buffers/layout.hpp"
#include "groma/buffers/payload.hpp"
#include "groma/machine/heap.hpp"
#include "groma/machine/pages.hpp"

namespace groma {
namespace {

/// Memory of MPI_Alloc_mem; null if there is none.
void* allocated_by_mpi(std::size_t bytes) {
  const ArraysMapped by_malloc;  // where the library calls it
  void* start = nullptr;
  return MPI_Alloc_mem(static_cast<MPI_Aint>(bytes), MPI_INFO_NULL, &start) == MPI_SUCCESS ? start : nullptr;
}

void* mapped(std::size_t bytes) {
  void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return start == MAP_FAILED ? nullptr : start;
}

}  // namespace

Shape shape_of(const Point& point, std::int64_t members) {
  return {.bytes = point.bytes, .ranks = members, .element_bytes = element_bytes(point.datatype)};
}

Shape extents_of(const Point& point, std::int64_t members) {
  Shape shape = shape_of(point, members);
  shape.bytes = layout_of(point).extent_bytes();
  return shape;
}

Needs needs_of(const Info& info, const Point& point, const Memory& memory) {
  Needs needs{.send_bytes = memory.send_bytes, .receive_bytes = memory.receive_bytes};
  if (point.allocation == payload::Allocation::pages) needs.slack_bytes = 2 * point.alignment + point.receive_offset;
  // With one array, or MPI_IN_PLACE, the receive array holds what is sent too.
  const bool same = point.buffers == payload::Buffers::same;
  const bool single = info.sharing == Sharing::single || info.sharing == Sharing::replaced;
  if (single || same) needs.receive_bytes = std::max(needs.send_bytes, needs.receive_bytes);
  const bool on_every_rank = info.sharing == Sharing::one_array || info.sharing == Sharing::in_place;
  if (single || (same && on_every_rank)) needs.send_bytes = 0;
  return needs;
}

Needs Needs::or_more(const Needs& other) const {
  return {.send_bytes = std::max(send_bytes, other.send_bytes),
          .receive_bytes = std::max(receive_bytes, other.receive_bytes),
          .sweep_bytes = std::max(sweep_bytes, other.sweep_bytes),
          .slack_bytes = std::max(slack_bytes, other.slack_bytes)};
}

void Release::operator()(std::byte* start) const {
  if (allocation == payload::Allocation::mpi) {
    MPI_Free_mem(start);
  } else {
    munmap(start, bytes);
  }
}

std::span<std::byte> Arena::bytes_of(const Region& region) {
  return {region.get(), region == nullptr ? 0 : region.get_deleter().bytes};
}

Arena::Region Arena::touched(std::size_t bytes, payload::Allocation allocation) {
  if (bytes == 0) return {};
  void* start = allocation == payload::Allocation::mpi ? allocated_by_mpi(bytes) : mapped(bytes);
  if (start == nullptr) throw std::bad_alloc();
  auto* region = static_cast<std::byte*>(start);
  constexpr std::uint64_t no_zero_byte = 0x0101010101010101;
  for (std::size_t i = 0; i + sizeof no_zero_byte <= bytes; i += sizeof no_zero_byte) {
    const std::uint64_t word = (i * 0x9E3779B97F4A7C15) | no_zero_byte;
    std::memcpy(region + i, &word, sizeof word);
  }
  return Region(region, Release{bytes, allocation});
}

Arena::Arena(const Needs& needs)
    : sent_(touched(static_cast<std::size_t>(needs.send_bytes + needs.slack_bytes), payload::Allocation::pages)),
      received_(touched(static_cast<std::size_t>(needs.receive_bytes + needs.slack_bytes), payload::Allocation::pages)),
      swept_(touched(static_cast<std::size_t>(needs.sweep_bytes), payload::Allocation::pages)),
      send_{bytes_of(sent_)},
      receive_{bytes_of(received_)},
      sweep_(bytes_of(swept_)) {
  list_new_pages();
}

Arena Arena::of_mpi(const Needs& needs, const Arena& launch) {
  Arena arena;
  arena.sent_ = touched(static_cast<std::size_t>(needs.send_bytes), payload::Allocation::mpi);
  arena.received_ = touched(static_cast<std::size_t>(needs.receive_bytes), payload::Allocation::mpi);
  arena.send_ = {bytes_of(arena.sent_), true};
  arena.receive_ = {bytes_of(arena.received_), true};
  arena.sweep_ = launch.sweep();
  return arena;
}

Arena Arena::of_regions(std::span<std::byte> send, std::span<std::byte> receive, const Arena& launch) {
  Arena arena;
  arena.send_ = send.empty() ? launch.send_ : Place{send, true};
  arena.receive_ = receive.empty() ? launch.receive_ : Place{receive, true};
  arena.sweep_ = launch.sweep();
  return arena;
}

}  // namespace groma
