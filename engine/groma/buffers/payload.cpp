#include "groma/buffers/payload.hpp"

#include <algorithm>
#include <cstring>

#include "groma/buffers/element_value.hpp"

namespace groma {
namespace {

/// The first odd multiple of `alignment` from `start` on. An even one would be aligned to more than was asked for, and
/// whether it is would be chance.
std::byte* align(std::byte* start, std::int64_t alignment) {
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  const auto step = static_cast<std::uintptr_t>(alignment);
  const std::uintptr_t multiple = (address + step - 1) / step;
  return start + ((multiple | 1U) * step - address);
}

constexpr int not_payload = 0x2A;

}  // namespace

std::int64_t element_bytes(const std::string& datatype) {
  return with_element_type(datatype, []<class Element>(Element) { return static_cast<std::int64_t>(sizeof(Element)); });
}

MPI_Datatype mpi_type(const std::string& datatype) {
  if (datatype == "byte") return MPI_BYTE;
  if (datatype == "char") return MPI_CHAR;
  if (datatype == "int32") return MPI_INT32_T;
  if (datatype == "int64") return MPI_INT64_T;
  if (datatype == "float") return MPI_FLOAT;
  return MPI_DOUBLE;
}

Arrays lay_out(const Arena& arena, const Point& point) {
  return {align(arena.send().data(), point.alignment),
          align(arena.receive().data(), point.alignment) + point.receive_offset};
}

Buffers buffers_for(const Info& info, const Point& point, const Arrays& arrays) {
  Buffers buffers{arrays.send, arrays.receive, arrays.send, arrays.receive};
  if (point.buffers != "same") return buffers;
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
      break;
  }
  return buffers;
}

Payload::Payload(const Info& info, const Point& point, const Site& site, const Arrays& arrays)
    : info_(info),
      site_(site),
      arrays_(arrays),
      datatype_(point.datatype),
      reduction_(point.reduction),
      same_(point.buffers == "same"),
      layout_(layout_of(point)),
      messages_(shape_of(point, site.ranks)),
      parts_(parts_of(site.transfers, site.rank, site.send_from)) {
  messages_.bytes = 1;
}

std::int64_t Payload::receive_elements() const {
  if (info_.receive != Size::transfers) return region_bytes(info_.receive, messages_) * layout_.elements();
  std::int64_t elements = 0;
  for (const Part& part : parts_) elements += part.sent ? 0 : part.length;
  return elements;
}

bool Payload::holds_result(int root) const {
  if (info_.result == Result::none || (info_.reduces && reduction_ == "null")) return false;
  switch (info_.holders) {
    case Holders::every:
      break;
    case Holders::root:
      return site_.rank == root;
    case Holders::not_root:
      return site_.rank != root;
    case Holders::second:
      return !site_.first;
    case Holders::not_first:
      return site_.rank != 0;
  }
  return !(same_ && info_.sharing == Sharing::root_receive && site_.rank == root);
}

std::int64_t Payload::checked_elements(int root) const { return holds_result(root) ? receive_elements() : 0; }

/// Where this rank's own part lies; null where it has none.
std::byte* Payload::contribution(int root) const {
  const bool own_block = info_.send == Size::message && info_.receive == Size::per_rank;
  std::byte* in_place = arrays_.receive + (own_block ? site_.rank * site_.message_bytes : 0);
  if (info_.sharing == Sharing::single) return site_.rank == root ? arrays_.receive : nullptr;
  if (!same_) return arrays_.send;
  switch (info_.sharing) {
    case Sharing::one_array:
      return site_.first ? arrays_.receive : nullptr;
    case Sharing::in_place:
      return in_place;
    case Sharing::root_send:
      return site_.rank == root ? in_place : arrays_.send;
    default:
      return arrays_.send;
  }
}

template <class Element>
void Payload::fill_as(int trial, int root) const {
  const auto bytes_of = [&](Size size) {
    return static_cast<std::size_t>(region_bytes(size, messages_) * layout_.extent_bytes());
  };
  // Gaps are filled on both sides, differently: what leaks from one to the other shows.
  const bool listed = info_.send == Size::transfers;
  std::memset(arrays_.receive, not_payload,
              listed ? static_cast<std::size_t>(receive_elements()) * sizeof(Element) : bytes_of(info_.receive));
  auto* out = reinterpret_cast<Element*>(contribution(root));
  if (out == nullptr) return;
  if (listed) return fill_parts(out, trial);
  if (!layout_.contiguous() && contribution(root) == arrays_.send) {
    std::memset(arrays_.send, not_payload ^ 0xFF, bytes_of(info_.send));
  }
  for (std::int64_t block = 0; block < region_bytes(info_.send, messages_); ++block, out += layout_.places()) {
    const std::int64_t to = info_.send == Size::faces ? face_key(static_cast<int>(block)) : block;
    for (std::int64_t i = 0; i < layout_.elements(); ++i) {
      out[layout_.place(i)] = static_cast<Element>(operand(site_.rank, to, trial, i));
    }
  }
}

/// What tells the faces of a grid apart. Where both faces of a dimension look at the same rank MPI leaves open which of
/// its two messages a neighbourhood collective delivers where (MPI-4.1, 8.6), so they are the same.
std::int64_t Payload::face_key(int face) const { return site_.grid.folded(face) ? face / 2 * 2 : face; }

/// What arrives through a face: the message that the neighbour there sent through its opposite face.
std::int64_t Payload::from_face(int face, std::int64_t element, int trial) const {
  return element_value(site_.grid.neighbours[static_cast<std::size_t>(face)], face_key(face ^ 1), trial, element);
}

/// A sum of chars stays below 128: beyond that, some libraries wrap around and others saturate, and neither is wrong.
std::int64_t Payload::operand(int from, std::int64_t to, int trial, std::int64_t index) const {
  const std::int64_t value = element_value(from, to, trial, index);
  if (!info_.reduces || datatype_ != "char" || reduction_ != "sum") return value;
  constexpr int largest = 127;
  return from < largest ? value % (largest / std::min(site_.ranks, largest) + 1) : 0;
}

std::int64_t Payload::reduced(int ranks, int block, std::int64_t element, int trial) const {
  std::int64_t value = operand(0, block, trial, element);
  for (int rank = 1; rank < ranks; ++rank) {
    const std::int64_t next = operand(rank, block, trial, element);
    value = reduction_ == "sum" ? value + next : reduction_ == "max" ? std::max(value, next) : value & next;
  }
  return value;
}

std::int64_t Payload::expected(std::int64_t block, std::int64_t element, int trial, int root) const {
  const int first = site_.first ? site_.rank : site_.partner;
  switch (info_.result) {
    case Result::none:
      return 0;
    case Result::from_partner:
      return element_value(same_ ? first : site_.partner, 0, trial, element);
    case Result::from_left:
      return element_value(site_.left, 0, trial, element);
    case Result::from_neighbours:
      return element_value(block == 0 ? site_.left : site_.right, 0, trial, element);
    case Result::from_faces:
      return from_face(static_cast<int>(block), element, trial);
    case Result::from_targets:
    case Result::from_any_target:
      return element_value(site_.sources[static_cast<std::size_t>(block) % site_.sources.size()], 0, trial, element);
    case Result::from_root:
      return element_value(root, 0, trial, element);
    case Result::from_root_block:
      return element_value(root, site_.rank, trial, element);
    case Result::from_all:
    case Result::from_others:
      return element_value(static_cast<int>(block), 0, trial, element);
    case Result::from_all_block:
      return element_value(static_cast<int>(block), site_.rank, trial, element);
    case Result::from_sources: {
      const Part& part = parts_[static_cast<std::size_t>(block)];
      return element_value(part.peer, message_key(part), trial, element);
    }
    case Result::reduced:
      return reduced(site_.ranks, 0, element, trial);
    case Result::reduced_block:
      return reduced(site_.ranks, site_.rank, element, trial);
    case Result::reduced_through:
      return reduced(site_.rank + 1, 0, element, trial);
    case Result::reduced_before:
      return reduced(site_.rank, 0, element, trial);
    case Result::face_sums:
      return face_sum(static_cast<int>(block), element, trial);
    case Result::transposed:
      return transposed(block * layout_.elements() + element, trial);
    case Result::gradient_step:
      return gradient_step(element, trial);
  }
  return 0;
}

template <class Element>
const Element* Payload::received(std::int64_t block) const {
  return reinterpret_cast<const Element*>(arrays_.receive + block * layout_.extent_bytes());
}

template <class Element>
std::optional<Mismatch> Payload::verify_as(int trial, int root) const {
  if (!holds_result(root)) return std::nullopt;
  if (info_.receive == Size::transfers) return verify_parts(reinterpret_cast<const Element*>(arrays_.receive), trial);
  if (info_.result == Result::from_any_target) return verify_any_order<Element>(trial);
  for (std::int64_t block = 0; block < region_bytes(info_.receive, messages_); ++block) {
    if (info_.result == Result::from_others && block == site_.rank) continue;
    // Every message of a window is the same: one comparison with the first, which was checked element by element.
    if (block > 0 && info_.receive == Size::window &&
        std::memcmp(received<Element>(block), arrays_.receive, static_cast<std::size_t>(layout_.extent_bytes())) == 0) {
      continue;
    }
    if (const auto wrong = verify_message<Element>(block, block, trial, root)) return wrong;
  }
  return std::nullopt;
}

/// The elements of one message against those of `expected_block`, and the gaps, which must be as they were filled.
template <class Element>
std::optional<Mismatch> Payload::verify_message(std::int64_t block, std::int64_t expected_block, int trial,
                                                int root) const {
  const Element* found = received<Element>(block);
  Element gap{};
  std::memset(&gap, not_payload, sizeof gap);
  std::int64_t next = 0;
  for (std::int64_t i = 0; i <= layout_.elements(); ++i) {
    const std::int64_t place = i < layout_.elements() ? layout_.place(i) : layout_.places();
    for (; next <= place && next < layout_.places(); ++next) {
      const auto right = next < place ? gap : static_cast<Element>(expected(expected_block, i, trial, root));
      if (found[next] != right) {
        return Mismatch{(block * layout_.places() + next) * static_cast<std::int64_t>(sizeof(Element)),
                        static_cast<double>(right), static_cast<double>(found[next])};
      }
    }
  }
  return std::nullopt;
}

/// Every element of one block; the offset of a wrong one is that in the receive array.
template <class Element>
std::optional<Mismatch> Payload::verify_block(const Element* found, std::int64_t block, std::int64_t length, int trial,
                                              int root) const {
  for (std::int64_t i = 0; i < length; ++i) {
    const auto right = static_cast<Element>(expected(block, i, trial, root));
    if (found[i] == right) continue;
    const auto* place = reinterpret_cast<const std::byte*>(found + i);
    return Mismatch{place - arrays_.receive, static_cast<double>(right), static_cast<double>(found[i])};
  }
  return std::nullopt;
}

/// What tells the messages of one sender apart: nothing, where all are the beginning of one buffer.
std::int64_t Payload::message_key(const Part& part) const {
  return site_.send_from == SendFrom::one_buffer ? 0 : part.number;
}

template <class Element>
void Payload::fill_parts(Element* out, int trial) const {
  for (const Part& part : parts_) {
    for (std::int64_t i = 0; part.sent && i < part.length; ++i) {
      out[part.start + i] = static_cast<Element>(element_value(site_.rank, message_key(part), trial, i));
    }
  }
}

template <class Element>
std::optional<Mismatch> Payload::verify_parts(const Element* found, int trial) const {
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    if (parts_[k].sent) continue;
    const auto wrong = verify_block(found + parts_[k].start, static_cast<std::int64_t>(k), parts_[k].length, trial, 0);
    if (wrong) return wrong;
  }
  return std::nullopt;
}

/// Messages of the sources, whichever came first: each is some source's, and in each place they add up to all of them.
template <class Element>
std::optional<Mismatch> Payload::verify_any_order(int trial) const {
  const std::int64_t blocks = region_bytes(info_.receive, messages_);
  const auto sources = static_cast<std::int64_t>(site_.sources.size());
  for (std::int64_t block = 0; block < blocks; ++block) {
    std::optional<Mismatch> wrong;
    for (std::int64_t source = 0; source < sources; ++source) {
      wrong = verify_message<Element>(block, source, trial, 0);
      if (!wrong) break;
    }
    if (wrong) return wrong;
  }
  for (std::int64_t i = 0; i < layout_.elements(); ++i) {
    double right = 0;
    double sum = 0;
    for (std::int64_t block = 0; block < blocks; ++block) {
      right += static_cast<double>(expected(block, i, trial, 0));
      sum += static_cast<double>(received<Element>(block)[layout_.place(i)]);
    }
    if (sum != right) return Mismatch{layout_.place(i) * static_cast<std::int64_t>(sizeof(Element)), right, sum};
  }
  return std::nullopt;
}

void Payload::fill(int trial, int root) const {
  with_element_type(datatype_, [&]<class Element>(Element) { fill_as<Element>(trial, root); });
}

std::optional<Mismatch> Payload::verify(int trial, int root) const {
  return with_element_type(datatype_, [&]<class Element>(Element) { return verify_as<Element>(trial, root); });
}

}  // namespace groma
