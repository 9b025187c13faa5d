#include "groma/buffers/reduction.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "groma/buffers/layout.hpp"
#include "groma/buffers/payload.hpp"
#include "groma/mpi/handles.hpp"

namespace groma {
namespace {

void combine_nothing(void*, void*, int*, MPI_Datatype*) {}

struct Sum {
  template <class Element>
  static Element of(Element a, Element b) {
    return static_cast<Element>(a + b);
  }
};

struct Max {
  template <class Element>
  static Element of(Element a, Element b) {
    return std::max(a, b);
  }
};

struct And {
  template <class Element>
  static Element of(Element a, Element b) {
    return static_cast<Element>(a & b);
  }
};

/// Combines the elements of whole messages that `layout_rules[rule]` lays out, and leaves the gaps alone. The size of
/// the datatype says how many elements a message has.
template <std::size_t rule, class Element, class Combine>
void combine_laid_out(void* from, void* into, int* messages, MPI_Datatype* type) {
  constexpr LayoutRule laid = layout_rules[rule];
  constexpr auto chosen = static_cast<std::int64_t>(laid.selected.size());
  int bytes = 0;
  MPI_Type_size(*type, &bytes);
  const std::int64_t elements = bytes / static_cast<std::int64_t>(sizeof(Element));
  const auto* other = static_cast<const Element*>(from);
  auto* own = static_cast<Element*>(into);
  for (int message = 0; message < *messages; ++message) {
    for (std::int64_t left = elements; left > 0; left -= chosen, other += laid.period, own += laid.period) {
      if (left >= chosen) {
        for (const std::int64_t place : laid.selected) own[place] = Combine::of(own[place], other[place]);
      } else {
        for (const std::int64_t place : laid.selected.first(static_cast<std::size_t>(left))) {
          own[place] = Combine::of(own[place], other[place]);
        }
      }
    }
  }
}

/// One such operation for the life of the program.
template <MPI_User_function* combine>
MPI_Op made_once() {
  static const MPI_Op operation = [] {
    MPI_Op made = MPI_OP_NULL;
    MPI_Op_create(combine, 1, &made);
    return made;
  }();
  return operation;
}

template <std::size_t rule, class Element>
MPI_Op laid_out(payload::Reduction reduction) {
  if (reduction == payload::Reduction::sum) return made_once<combine_laid_out<rule, Element, Sum>>();
  if (reduction == payload::Reduction::max) return made_once<combine_laid_out<rule, Element, Max>>();
  if constexpr (std::is_integral_v<Element>) return made_once<combine_laid_out<rule, Element, And>>();
  return MPI_OP_NULL;  // refused before
}

template <class Element>
MPI_Op laid_out(const Point& point) {
  static_assert(layout_rules.size() == 4 && layout_rules[0].kind == payload::Layout::contiguous);
  if (point.layout == layout_rules[1].kind) return laid_out<1, Element>(point.reduction);
  if (point.layout == layout_rules[2].kind) return laid_out<2, Element>(point.reduction);
  return laid_out<3, Element>(point.reduction);
}

}  // namespace

MPI_Op predefined_reduction(const Point& point) {
  if (point.reduction == payload::Reduction::sum) return MPI_SUM;
  if (point.reduction == payload::Reduction::max) return MPI_MAX;
  return MPI_BAND;
}

MPI_Op mpi_reduction(const Point& point) {
  if (point.reduction == payload::Reduction::nothing) return made_once<combine_nothing>();
  if (point.layout != payload::Layout::contiguous) {
    return with_element_type(point.datatype, [&]<class Element>(Element) { return laid_out<Element>(point); });
  }
  return predefined_reduction(point);
}

std::string reduction_refusal(const Point& point) {
  if (point.datatype != payload::Datatype::character || point.reduction == payload::Reduction::nothing ||
      point.layout != payload::Layout::contiguous)
    return "";
  int started = 0;
  MPI_Initialized(&started);
  if (started == 0) return "";  // only the library of a launch can say
  const ErrorsReturned returned;
  const char one = 1;
  char sum = 1;
  const int code = MPI_Reduce_local(&one, &sum, 1, mpi_type(point.datatype), mpi_reduction(point));
  return code == MPI_SUCCESS ? "" : error_text(code);
}

}  // namespace groma
