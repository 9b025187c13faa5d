#include "groma/buffers/layout.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <vector>

#include "groma/buffers/payload.hpp"

namespace groma {
Layout::Layout(payload::Layout kind, std::int64_t elements, std::int64_t element_bytes)
    : kind_(kind), elements_(elements), element_bytes_(element_bytes), selected_(first_place) {
  for (const LayoutRule& rule : layout_rules) {
    if (rule.kind != kind) continue;
    period_ = rule.period;
    selected_ = rule.selected;
  }
}

std::int64_t Layout::places() const {
  const auto chosen = static_cast<std::int64_t>(selected_.size());
  return (elements_ + chosen - 1) / chosen * period_;
}

std::int64_t Layout::place(std::int64_t element) const {
  const auto chosen = static_cast<std::int64_t>(selected_.size());
  return element / chosen * period_ + selected_[static_cast<std::size_t>(element % chosen)];
}

MPI_Datatype Layout::make(MPI_Datatype element) const {
  MPI_Datatype bare = MPI_DATATYPE_NULL;
  if (kind_ == payload::Layout::vector) {
    MPI_Type_vector(static_cast<int>(elements_), 1, static_cast<int>(period_), element, &bare);
  } else {
    bare = kind_ == payload::Layout::indexed ? indexed(element) : records(element);
  }
  MPI_Datatype whole = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(bare, 0, static_cast<MPI_Aint>(extent_bytes()), &whole);
  MPI_Type_free(&bare);
  MPI_Type_commit(&whole);
  return whole;
}

/// Blocks of neighbouring places, each as long as it comes.
MPI_Datatype Layout::indexed(MPI_Datatype element) const {
  std::vector<int> lengths;
  std::vector<int> starts;
  for (std::int64_t i = 0; i < elements_; ++i) {
    const auto at = static_cast<int>(place(i));
    if (!starts.empty() && starts.back() + lengths.back() == at) {
      ++lengths.back();
    } else {
      starts.push_back(at);
      lengths.push_back(1);
    }
  }
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_indexed(static_cast<int>(starts.size()), lengths.data(), starts.data(), element, &made);
  return made;
}

/// Whole records, and what fits of one more.
MPI_Datatype Layout::records(MPI_Datatype element) const {
  const auto members = static_cast<std::int64_t>(selected_.size());
  const int whole = static_cast<int>(elements_ / members);
  const int rest = static_cast<int>(elements_ % members);
  const std::array<int, 2> in_record{1, 3};
  const std::array<MPI_Aint, 2> offsets{0, static_cast<MPI_Aint>(2 * element_bytes_)};
  const std::array<MPI_Datatype, 2> types{element, element};
  MPI_Datatype bare = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(2, in_record.data(), offsets.data(), types.data(), &bare);
  MPI_Datatype record = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(bare, 0, static_cast<MPI_Aint>(period_ * element_bytes_), &record);
  const auto tail = static_cast<MPI_Aint>(whole * period_ * element_bytes_);
  const std::array<int, 3> lengths{whole, std::min(rest, 1), std::max(rest - 1, 0)};
  const std::array<MPI_Aint, 3> starts{0, tail, tail + offsets[1]};
  const std::array<MPI_Datatype, 3> parts{record, element, element};
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(3, lengths.data(), starts.data(), parts.data(), &made);
  MPI_Type_free(&bare);
  MPI_Type_free(&record);
  return made;
}

Layout layout_of(const Point& point) {
  const std::int64_t element = element_bytes(point.datatype);
  return {point.layout, point.bytes / element, element};
}

std::int64_t largest_count() {
  static const std::int64_t most = [] {
    const char* planted = std::getenv("GROMA_LARGEST_COUNT");
    return planted == nullptr ? std::numeric_limits<int>::max() : std::strtoll(planted, nullptr, 10);
  }();
  return most;
}

bool exceeds_counts(const Info& info, const Point& point, std::int64_t members) {
  const bool blocks = info.send == Size::per_rank || info.receive == Size::per_rank;
  return point.bytes / element_bytes(point.datatype) > largest_count() / (blocks ? members : 1);
}

MPI_Datatype make_contiguous(std::int64_t elements, MPI_Datatype element) {
  constexpr std::int64_t in_a_chunk = 1 << 20;
  const auto chunks = static_cast<int>(elements / in_a_chunk);
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  MPI_Type_get_extent(element, &lower, &extent);
  MPI_Datatype chunk = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(in_a_chunk, element, &chunk);
  const std::array<int, 2> lengths{chunks, static_cast<int>(elements % in_a_chunk)};
  const std::array<MPI_Aint, 2> starts{0, chunks * in_a_chunk * extent};
  const std::array<MPI_Datatype, 2> types{chunk, element};
  MPI_Datatype whole = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(2, lengths.data(), starts.data(), types.data(), &whole);
  MPI_Type_free(&chunk);
  MPI_Type_commit(&whole);
  return whole;
}

}  // namespace groma
