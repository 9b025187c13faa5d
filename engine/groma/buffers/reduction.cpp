#include "groma/buffers/reduction.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

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

template <bool least>
struct Located {
  template <class Element>
  static Element of(const Element& a, const Element& b) {
    if (a.value == b.value) return a.place < b.place ? a : b;
    return (a.value < b.value) == least ? a : b;
  }
};

/// Adds one array to another.
template <class Element>
void add_contiguous(void* from, void* into, int* elements, MPI_Datatype*) {
  const auto* other = static_cast<const Element*>(from);
  auto* own = static_cast<Element*>(into);
  for (int i = 0; i < *elements; ++i) own[i] = Sum::of(own[i], other[i]);
}

/// Bytes of an element that travel: without the gap behind the place of a pair.
template <class Element>
constexpr std::int64_t travelling_bytes() {
  if constexpr (is_pair<Element>) {
    return sizeof(Element::value) + sizeof(Element::place);
  } else {
    return sizeof(Element);
  }
}

/// Combines the elements of whole messages that `layout_rules[rule]` lays out, and leaves the gaps alone. The size of
/// the datatype says how many elements a message has.
template <std::size_t rule, class Element, class Combine>
void combine_laid_out(void* from, void* into, int* messages, MPI_Datatype* type) {
  constexpr LayoutRule laid = layout_rules[rule];
  constexpr auto chosen = static_cast<std::int64_t>(laid.selected.size());
  int bytes = 0;
  MPI_Type_size(*type, &bytes);
  const std::int64_t elements = bytes / travelling_bytes<Element>();
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
  using payload::Reduction;
  if constexpr (is_pair<Element>) {
    return reduction == Reduction::minloc ? made_once<combine_laid_out<rule, Element, Located<true>>>()
                                          : made_once<combine_laid_out<rule, Element, Located<false>>>();
  } else {
    if (reduction == Reduction::sum || reduction == Reduction::user) {
      return made_once<combine_laid_out<rule, Element, Sum>>();
    }
    if constexpr (is_ordered<Element>) {
      if (reduction == Reduction::max) return made_once<combine_laid_out<rule, Element, Max>>();
    }
    if constexpr (std::is_integral_v<Element>) return made_once<combine_laid_out<rule, Element, And>>();
    return MPI_OP_NULL;  // refused before
  }
}

template <class Element>
MPI_Op laid_out(const Point& point) {
  static_assert(layout_rules.size() == 4 && layout_rules[0].kind == payload::Layout::contiguous);
  if (point.layout == layout_rules[1].kind) return laid_out<1, Element>(point.reduction);
  if (point.layout == layout_rules[2].kind) return laid_out<2, Element>(point.reduction);
  return laid_out<3, Element>(point.reduction);
}

template <class Element>
MPI_Op adding() {
  if constexpr (is_pair<Element>) {
    return MPI_OP_NULL;  // refused before
  } else {
    return made_once<add_contiguous<Element>>();
  }
}

/// Which reductions MPI defines for a type; Groma's own is for those that can be added.
bool is_defined(payload::Reduction reduction, payload::Datatype datatype) {
  return with_element_type(datatype, [reduction]<class Element>(Element) {
    constexpr bool is_byte = std::is_same_v<Element, std::uint8_t>;
    switch (reduction) {
      case payload::Reduction::sum:
      case payload::Reduction::user:
        return !is_byte && !is_pair<Element>;
      case payload::Reduction::max:
        return !is_byte && is_ordered<Element>;
      case payload::Reduction::band:
        return std::is_integral_v<Element>;
      case payload::Reduction::minloc:
      case payload::Reduction::maxloc:
        return is_pair<Element>;
      case payload::Reduction::nothing:
        break;
    }
    return true;
  });
}

/// "sum, max or band"
std::string defined_reductions(payload::Datatype datatype) {
  std::vector<std::string> names;
  for (const Choice& one : payload::reductions) {
    const auto reduction = static_cast<payload::Reduction>(&one - payload::reductions);
    if (reduction != payload::Reduction::nothing && is_defined(reduction, datatype)) names.emplace_back(one.name);
  }
  std::string text = names.front();
  for (std::size_t i = 1; i < names.size(); ++i) text += (i + 1 < names.size() ? ", " : " or ") + names[i];
  return text;
}

}  // namespace

std::string undefined_reduction(const Point& point) {
  if (is_defined(point.reduction, point.datatype)) return "";
  return "reduction=" + name_of(point.reduction) + " on datatype=" + name_of(point.datatype) +
         " is not legal MPI; use " + defined_reductions(point.datatype) + ", or another datatype";
}

MPI_Op predefined_reduction(const Point& point) {
  switch (point.reduction) {
    case payload::Reduction::sum:
      return MPI_SUM;
    case payload::Reduction::max:
      return MPI_MAX;
    case payload::Reduction::minloc:
      return MPI_MINLOC;
    case payload::Reduction::maxloc:
      return MPI_MAXLOC;
    case payload::Reduction::user:  // refused before
    case payload::Reduction::band:
    case payload::Reduction::nothing:
      break;
  }
  return MPI_BAND;
}

MPI_Op mpi_reduction(const Point& point) {
  if (point.reduction == payload::Reduction::nothing) return made_once<combine_nothing>();
  if (point.layout != payload::Layout::contiguous) {
    return with_element_type(point.datatype, [&]<class Element>(Element) { return laid_out<Element>(point); });
  }
  if (point.reduction == payload::Reduction::user) {
    return with_element_type(point.datatype, []<class Element>(Element) { return adding<Element>(); });
  }
  return predefined_reduction(point);
}

std::string reduction_refusal(const Point& point) {
  if (point.datatype != payload::Datatype::character || point.reduction == payload::Reduction::nothing ||
      point.reduction == payload::Reduction::user || point.layout != payload::Layout::contiguous)
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
