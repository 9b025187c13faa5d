#include "groma/buffers/payload.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "groma/buffers/element_value.hpp"

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

constexpr int not_payload = 0x2A;

std::int64_t stated_value(const std::vector<Piece>& pieces, std::int64_t number, std::int64_t element, int trial) {
  const Piece& piece = pieces[static_cast<std::size_t>(number) % pieces.size()];
  return element_value(piece.from, piece.key, trial, element);
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
    case payload::Datatype::double_precision:
      break;
  }
  return MPI_DOUBLE;
}

Arrays lay_out(const Arena& arena, const Point& point) {
  if (point.allocation == payload::Allocation::mpi) return {arena.send().data(), arena.receive().data()};
  return {align(arena.send().data(), point.alignment),
          align(arena.receive().data(), point.alignment) + point.receive_offset};
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
      break;
  }
  return buffers;
}

Payload::Payload(const Info& info, const Point& point, const Site& site, const Arrays& arrays, Expected expected)
    : info_(info),
      site_(site),
      arrays_(arrays),
      datatype_(point.datatype),
      reduction_(point.reduction),
      same_(point.buffers == payload::Buffers::same),
      layout_(layout_of(point)),
      expected_(std::move(expected)) {}

/// Whether the operation itself says which messages are sent and received.
bool Payload::stated() const {
  return info_.result == Result::stated || info_.result == Result::stated_any_order ||
         info_.result == Result::stated_plus_own;
}

std::int64_t Payload::messages_received() const {
  const Contents& contents = expected_.contents;
  return stated() ? contents.rounds * static_cast<std::int64_t>(contents.received.size()) : expected_.received;
}

/// Message `block` of the receive array.
Piece Payload::received(std::int64_t block) const {
  if (!stated()) return {.start_bytes = block * layout_.extent_bytes(), .elements = layout_.elements()};
  const Contents& contents = expected_.contents;
  const auto all = static_cast<std::int64_t>(contents.received.size());
  Piece piece = contents.received[static_cast<std::size_t>(block % all)];
  piece.start_bytes += block / all * contents.round_bytes;
  return piece;
}

std::int64_t Payload::receive_elements() const {
  std::int64_t elements = 0;
  for (std::int64_t block = 0; block < messages_received(); ++block) elements += received(block).elements;
  return elements;
}

/// Places that a message of so many elements spans. Only whole messages have gaps.
std::int64_t Payload::places_of(std::int64_t elements) const {
  return layout_.contiguous() ? elements : layout_.places();
}

/// Where the array of these messages ends.
std::int64_t Payload::end_bytes(const std::vector<Piece>& pieces) const {
  std::int64_t end = 0;
  for (const Piece& piece : pieces) {
    end = std::max(end, piece.start_bytes + places_of(piece.elements) * element_bytes(datatype_));
  }
  return end;
}

std::int64_t Payload::sent_bytes() const {
  return stated() ? end_bytes(expected_.contents.sent) : expected_.sent * layout_.extent_bytes();
}

std::int64_t Payload::received_bytes() const {
  const Contents& contents = expected_.contents;
  return stated() ? (contents.rounds - 1) * contents.round_bytes + end_bytes(contents.received)
                  : expected_.received * layout_.extent_bytes();
}

bool Payload::holds_result(int root) const {
  if (info_.result == Result::none || (info_.reduces && reduction_ == payload::Reduction::nothing)) return false;
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
void Payload::fill_message(std::byte* start, std::int64_t elements, int from, std::int64_t key, int trial) const {
  auto* out = reinterpret_cast<Element*>(start);
  for (std::int64_t i = 0; i < elements; ++i) {
    out[layout_.place(i)] = static_cast<Element>(operand(from, key, trial, i));
  }
}

template <class Element>
void Payload::fill_as(int trial, int root) const {
  // Gaps are filled differently on both sides, so that bytes copied from a gap are detected.
  std::memset(arrays_.receive, not_payload, static_cast<std::size_t>(received_bytes()));
  std::byte* out = contribution(root);
  if (out == nullptr) return;
  if (!layout_.contiguous() && out == arrays_.send) {
    std::memset(out, not_payload ^ 0xFF, static_cast<std::size_t>(sent_bytes()));
  }
  if (stated()) {
    for (const Piece& piece : expected_.contents.sent) {
      fill_message<Element>(out + piece.start_bytes, piece.elements, piece.from, piece.key, trial);
    }
    return;
  }
  for (std::int64_t block = 0; block < expected_.sent; ++block) {
    fill_message<Element>(out + block * layout_.extent_bytes(), layout_.elements(), site_.rank, block, trial);
  }
}

/// A sum of chars stays below 128: beyond that, some libraries wrap around and others saturate, and neither is wrong.
std::int64_t Payload::operand(int from, std::int64_t to, int trial, std::int64_t index) const {
  const std::int64_t value = element_value(from, to, trial, index);
  if (!info_.reduces || datatype_ != payload::Datatype::character || reduction_ != payload::Reduction::sum)
    return value;
  constexpr int largest = 127;
  return from < largest ? value % (largest / std::min(site_.ranks, largest) + 1) : 0;
}

std::int64_t Payload::reduced(int ranks, int block, std::int64_t element, int trial) const {
  std::int64_t value = operand(0, block, trial, element);
  for (int rank = 1; rank < ranks; ++rank) {
    const std::int64_t next = operand(rank, block, trial, element);
    value = reduction_ == payload::Reduction::sum   ? value + next
            : reduction_ == payload::Reduction::max ? std::max(value, next)
                                                    : value & next;
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
    case Result::from_root:
      return element_value(root, 0, trial, element);
    case Result::from_root_block:
      return element_value(root, site_.rank, trial, element);
    case Result::from_all:
    case Result::from_others:
      return element_value(static_cast<int>(block), 0, trial, element);
    case Result::from_all_block:
      return element_value(static_cast<int>(block), site_.rank, trial, element);
    case Result::reduced:
      return reduced(site_.ranks, 0, element, trial);
    case Result::reduced_block:
      return reduced(site_.ranks, site_.rank, element, trial);
    case Result::reduced_through:
      return reduced(site_.rank + 1, 0, element, trial);
    case Result::reduced_before:
      return reduced(site_.rank, 0, element, trial);
    case Result::stated:
    case Result::stated_any_order:
      return stated_value(expected_.contents.received, block, element, trial);
    case Result::stated_plus_own:
      return stated_value(expected_.contents.received, block, element, trial) +
             stated_value(expected_.contents.sent, block, element, trial);
    case Result::transposed:
      return transposed(block * layout_.elements() + element, trial);
    case Result::gradient_step:
      return gradient_step(element, trial);
  }
  return 0;
}

/// Messages that must be the same are compared with the first as a whole, which was checked element by element.
bool Payload::same_as_first(std::int64_t block) const {
  if (block == 0 || info_.result != Result::from_partner) return false;
  const auto extent = static_cast<std::size_t>(layout_.extent_bytes());
  return std::memcmp(arrays_.receive + received(block).start_bytes, arrays_.receive, extent) == 0;
}

template <class Element>
std::optional<Mismatch> Payload::verify_as(int trial, int root) const {
  if (!holds_result(root)) return std::nullopt;
  if (info_.result == Result::stated_any_order) return verify_any_order<Element>(trial);
  for (std::int64_t block = 0; block < messages_received(); ++block) {
    if (info_.result == Result::from_others && block == site_.rank) continue;
    if (same_as_first(block)) continue;
    if (const auto wrong = verify_message<Element>(block, block, trial, root)) return wrong;
  }
  return std::nullopt;
}

/// The elements of one message against those of `expected_block`, and the gaps, which must be as they were filled. The
/// offset of a wrong element is that in the receive array.
template <class Element>
std::optional<Mismatch> Payload::verify_message(std::int64_t block, std::int64_t expected_block, int trial,
                                                int root) const {
  const Piece message = received(block);
  const auto* found = reinterpret_cast<const Element*>(arrays_.receive + message.start_bytes);
  const std::int64_t places = places_of(message.elements);
  Element gap{};
  std::memset(&gap, not_payload, sizeof gap);
  std::int64_t next = 0;
  for (std::int64_t i = 0; i <= message.elements; ++i) {
    const std::int64_t place = i < message.elements ? layout_.place(i) : places;
    for (; next <= place && next < places; ++next) {
      const auto right = next < place ? gap : static_cast<Element>(expected(expected_block, i, trial, root));
      if (found[next] != right) {
        return Mismatch{message.start_bytes + next * static_cast<std::int64_t>(sizeof(Element)),
                        static_cast<double>(right), static_cast<double>(found[next])};
      }
    }
  }
  return std::nullopt;
}

/// Messages of the sources, whichever came first: each is some source's, and in each place they add up to all of them.
template <class Element>
std::optional<Mismatch> Payload::verify_any_order(int trial) const {
  const std::int64_t blocks = messages_received();
  const auto sources = static_cast<std::int64_t>(expected_.contents.received.size());
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
      const auto* found = reinterpret_cast<const Element*>(arrays_.receive + received(block).start_bytes);
      right += static_cast<double>(expected(block, i, trial, 0));
      sum += static_cast<double>(found[layout_.place(i)]);
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
