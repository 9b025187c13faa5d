// Where the send and the receive array of a point begin, and of which elements they are.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "groma/buffers/arena.hpp"
#include "groma/buffers/element.hpp"
#include "groma/info.hpp"
#include "groma/plan/point.hpp"

namespace groma {

/// Calls `visit` with an element of the type that a point's field names.
template <class Visit>
auto with_element_type(payload::Datatype datatype, Visit visit) {
  switch (datatype) {
    case payload::Datatype::byte:
      return visit(std::uint8_t{});
    case payload::Datatype::character:
      return visit(char{});
    case payload::Datatype::int32:
      return visit(std::int32_t{});
    case payload::Datatype::int64:
      return visit(std::int64_t{});
    case payload::Datatype::single_precision:
      return visit(float{});
    case payload::Datatype::single_complex:
      return visit(std::complex<float>{});
    case payload::Datatype::double_complex:
      return visit(std::complex<double>{});
    case payload::Datatype::float16:
      return visit(Float16{});
    case payload::Datatype::bfloat16:
      return visit(BFloat16{});
    case payload::Datatype::int_at:
      return visit(At<int>{});
    case payload::Datatype::double_at:
      return visit(At<double>{});
    case payload::Datatype::double_precision:
      break;
  }
  return visit(double{});
}

/// Size in bytes of one element, and its MPI type.
std::int64_t element_bytes(payload::Datatype datatype);
MPI_Datatype mpi_type(payload::Datatype datatype);

/// The start of each array of a point: aligned as its fields say, inside the arena.
struct Arrays {
  std::byte* send = nullptr;
  std::byte* receive = nullptr;
};
Arrays lay_out(const Arena& arena, const Point& point);

/// What the operation is given: the arrays, or MPI_IN_PLACE where `buffers=same` means that.
Buffers buffers_for(const Info& info, const Point& point, const Arrays& arrays);

}  // namespace groma
