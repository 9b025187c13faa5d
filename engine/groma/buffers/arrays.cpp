#include "groma/buffers/arrays.hpp"

#include <cstdint>

#include "groma/mpi/short_types.hpp"

namespace groma {
namespace {

/// The first odd multiple of `alignment` from `start` on. An even one would be aligned to more than was asked for, by
/// chance.
std::byte* align(std::byte* start, std::int64_t alignment) {
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  const auto step = static_cast<std::uintptr_t>(alignment);
  const std::uintptr_t multiple = (address + step - 1) / step;
  return start + ((multiple | 1U) * step - address);
}

}  // namespace

std::int64_t element_bytes(payload::Datatype datatype) {
  return with_element_type(datatype, []<class Element>(Element) { return static_cast<std::int64_t>(sizeof(Element)); });
}

MPI_Datatype mpi_type(payload::Datatype datatype) {
  switch (datatype) {
    case payload::Datatype::byte:
      return MPI_BYTE;
    case payload::Datatype::character:
      return MPI_CHAR;
    case payload::Datatype::int32:
      return MPI_INT32_T;
    case payload::Datatype::int64:
      return MPI_INT64_T;
    case payload::Datatype::single_precision:
      return MPI_FLOAT;
    case payload::Datatype::single_complex:
      return MPI_C_FLOAT_COMPLEX;
    case payload::Datatype::double_complex:
      return MPI_C_DOUBLE_COMPLEX;
    case payload::Datatype::float16:
      return mpi_float16();
    case payload::Datatype::bfloat16:
      return mpi_bfloat16();
    case payload::Datatype::int_at:
      return MPI_2INT;
    case payload::Datatype::double_at:
      return MPI_DOUBLE_INT;
    case payload::Datatype::double_precision:
      break;
  }
  return MPI_DOUBLE;
}

Arrays lay_out(const Arena& arena, const Point& point) {
  const auto start = [&](std::span<std::byte> region, bool at_start, std::int64_t offset) {
    return at_start ? region.data() : align(region.data(), point.alignment) + offset;
  };
  return {start(arena.send(), arena.sends_from_start(), 0),
          start(arena.receive(), arena.receives_at_start(), point.receive_offset)};
}

Buffers buffers_for(const Info& info, const Point& point, const Arrays& arrays) {
  Buffers buffers{arrays.send, arrays.receive, arrays.send, arrays.receive};
  if (point.buffers != payload::Buffers::same) return buffers;
  switch (info.sharing) {
    case Sharing::one_array:
      buffers.send = buffers.root_send = arrays.receive;
      break;
    case Sharing::in_place:
      buffers.send = buffers.root_send = MPI_IN_PLACE;
      break;
    case Sharing::root_send:
      buffers.root_send = MPI_IN_PLACE;
      break;
    case Sharing::root_receive:
      buffers.root_receive = MPI_IN_PLACE;
      break;
    case Sharing::refused:
    case Sharing::single:
    case Sharing::replaced:
      break;
  }
  return buffers;
}

}  // namespace groma
