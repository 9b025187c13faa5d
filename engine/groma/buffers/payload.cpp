#include "groma/buffers/payload.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "groma/buffers/element_value.hpp"

namespace groma {
namespace {

/// In every byte of the gaps of a send array: neither payload nor old contents of a receive array.
constexpr int gap_sent = 0xD5;

/// The part of a chunk that holds the elements of a message from `first` on.
template <class Element>
std::span<Element> part_of(Chunk<Element>& chunk, std::int64_t first, std::int64_t elements) {
  return std::span(chunk).first(static_cast<std::size_t>(std::min(chunk_elements, elements - first)));
}

template <class Element>
void stated_values(const std::vector<Piece>& pieces, std::int64_t number, std::int64_t first, int trial,
                   std::span<Element> values) {
  const Piece& piece = pieces[static_cast<std::size_t>(number) % pieces.size()];
  element_values(piece.from, piece.key, trial, first, values);
}

}  // namespace

Payload::Payload(const Info& info, const Point& point, const Site& site, const Arrays& arrays, Expected expected)
    : info_(info),
      site_(site),
      arrays_(arrays),
      datatype_(point.datatype),
      operands_(info, point, site.ranks),
      nothing_reduced_(info.reduces && point.reduction == payload::Reduction::nothing),
      same_(point.buffers == payload::Buffers::same || info.sharing == Sharing::replaced),
      layout_(layout_of(point)),
      expected_(std::move(expected)) {}

/// True if the operation itself says which messages are sent and received.
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

/// Places that a message of a number of elements spans. Only whole messages have gaps.
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
  if (info_.result == Result::none || nothing_reduced_) return false;
  switch (info_.holders) {
    case Holders::every:
      break;
    case Holders::root:
      return site_.rank == root;
    case Holders::not_root:
      return site_.rank != root;
    case Holders::first:
      return site_.first;
    case Holders::second:
      return !site_.first;
    case Holders::not_first:
      return site_.rank != 0;
  }
  return !(same_ && info_.sharing == Sharing::root_receive && site_.rank == root);
}

std::span<std::byte> Payload::outgoing(int root) const {
  std::byte* start = info_.holders == Holders::second && !site_.first ? nullptr : contribution(root);
  return {start, start == nullptr ? 0 : static_cast<std::size_t>(sent_bytes())};
}

std::span<std::byte> Payload::incoming(int root) const {
  return {arrays_.receive, holds_result(root) ? static_cast<std::size_t>(received_bytes()) : 0};
}

std::int64_t Payload::checked_elements(int root) const {
  return holds_result(root) ? expected_.threads * receive_elements() : 0;
}

/// Where this rank's own part lies; null if it has none.
std::byte* Payload::contribution(int root) const {
  const bool own_block = info_.send == Size::message && info_.receive == Size::per_rank;
  std::byte* in_place = arrays_.receive + (own_block ? site_.rank * site_.message_bytes : 0);
  if (info_.sharing == Sharing::single) return site_.rank == root ? arrays_.receive : nullptr;
  if (!same_) return arrays_.send;
  switch (info_.sharing) {
    case Sharing::one_array:
      return site_.first ? arrays_.receive : nullptr;
    case Sharing::in_place:
    case Sharing::replaced:
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
  if (layout_.contiguous())
    return operands_.of(from, key, trial, 0, std::span(out, static_cast<std::size_t>(elements)));
  Chunk<Element> chunk;
  for (std::int64_t first = 0; first < elements; first += chunk_elements) {
    const std::span<Element> values = part_of(chunk, first, elements);
    operands_.of(from, key, trial, first, values);
    for (std::size_t i = 0; i < values.size(); ++i)
      out[layout_.place(first + static_cast<std::int64_t>(i))] = values[i];
  }
}

template <class Element>
void Payload::fill_as(int trial, int root) const {
  // Gaps are filled differently on both sides, so that bytes copied from a gap are detected.
  std::fill_n(reinterpret_cast<Element*>(arrays_.receive), received_bytes() / element_bytes(datatype_),
              operands_.old_contents<Element>());
  if (info_.result == Result::reduced_own) {
    fill_message<Element>(arrays_.receive, layout_.elements(), site_.rank + 1, 0, trial);
  }
  std::byte* out = contribution(root);
  if (out == nullptr) return;
  if (!layout_.contiguous() && out == arrays_.send) {
    std::memset(out, gap_sent, static_cast<std::size_t>(sent_bytes()));
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

/// What must have arrived in message `block` from element `first` on: a chunk at most.
template <class Element>
void Payload::expect(std::int64_t block, std::int64_t first, int trial, int root, std::span<Element> values) const {
  const auto from = [&](std::int64_t rank, std::int64_t to) {
    element_values(static_cast<int>(rank), to, trial, first, values);
  };
  switch (info_.result) {
    case Result::none:
      return;
    case Result::own:
      return from(site_.rank, 0);
    case Result::from_partner:
      return from(same_ && site_.first ? site_.rank : site_.partner, 0);
    case Result::from_left:
      return from(site_.left, 0);
    case Result::from_root:
      return from(root, 0);
    case Result::from_root_block:
      return from(root, site_.rank);
    case Result::from_all:
    case Result::from_others:
      return from(block, 0);
    case Result::from_all_block:
      return from(block, site_.rank);
    case Result::reduced:
      return operands_.reduced(site_.ranks, 0, first, trial, values);
    case Result::reduced_block:
      return operands_.reduced(site_.ranks, site_.rank, first, trial, values);
    case Result::reduced_through:
      return operands_.reduced(site_.rank + 1, 0, first, trial, values);
    case Result::reduced_before:
      return operands_.reduced(site_.rank, 0, first, trial, values);
    case Result::reduced_with_partner:
      return operands_.reduced_with(site_.partner, site_.rank, first, trial, values);
    case Result::fetched_and_reduced:
      operands_.of(site_.partner, 0, trial, first, values);
      if (site_.first) return;
      return operands_.reduce_with(site_.rank, 0, first, trial, values);
    case Result::reduced_own:
      return operands_.reduced_with(site_.rank, site_.rank + 1, first, trial, values);
    case Result::stated:
    case Result::stated_any_order:
      return stated_values(expected_.contents.received, block, first, trial, values);
    case Result::stated_plus_own: {
      stated_values(expected_.contents.received, block, first, trial, values);
      Chunk<Element> chunk;
      const std::span<Element> own = std::span(chunk).first(values.size());
      stated_values(expected_.contents.sent, block, first, trial, own);
      if constexpr (!is_pair<Element>) {
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<Element>(values[i] + own[i]);
      }
      return;
    }
    case Result::transposed:
    case Result::gradient_step:
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::int64_t element = first + static_cast<std::int64_t>(i);
        values[i] = element_of<Element>(info_.result == Result::transposed
                                            ? transposed(block * layout_.elements() + element, trial)
                                            : gradient_step(element, trial));
      }
  }
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
  const auto wrong = [&](std::int64_t place, Element right) {
    return Mismatch{message.start_bytes + place * static_cast<std::int64_t>(sizeof(Element)), number_of(right),
                    number_of(found[place])};
  };
  const auto gap = operands_.old_contents<Element>();
  Chunk<Element> chunk;
  std::int64_t next = 0;
  for (std::int64_t first = 0; first < message.elements; first += chunk_elements) {
    const std::span<Element> values = part_of(chunk, first, message.elements);
    expect(expected_block, first, trial, root, values);
    if (layout_.contiguous() && std::memcmp(found + first, values.data(), values.size_bytes()) == 0) {
      next = first + std::ssize(values);
      continue;
    }
    for (std::int64_t i = 0; i < std::ssize(values); ++i) {
      const std::int64_t place = layout_.place(first + i);
      const Element right = values[static_cast<std::size_t>(i)];
      for (; next < place; ++next) {
        if (!(found[next] == gap)) return wrong(next, gap);
      }
      if (!(found[place] == right)) return wrong(place, right);
      next = place + 1;
    }
  }
  for (const std::int64_t places = places_of(message.elements); next < places; ++next) {
    if (!(found[next] == gap)) return wrong(next, gap);
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
      Element value{};
      expect(block, i, trial, 0, std::span(&value, 1));
      right += number_of(value);
      sum += number_of(found[layout_.place(i)]);
    }
    if (sum != right) return Mismatch{layout_.place(i) * static_cast<std::int64_t>(sizeof(Element)), right, sum};
  }
  return std::nullopt;
}

/// The payload of one thread.
Payload Payload::thread(int number) const {
  Payload own = *this;
  own.arrays_.send += number * thread_stride(expected_.of_thread.send_bytes);
  own.arrays_.receive += number * thread_stride(expected_.of_thread.receive_bytes);
  return own;
}

/// Threads of a rank have different values, as trials have.
int Payload::trial_of(int trial, int thread) {
  constexpr int most_trials = 4;
  return trial + most_trials * thread;
}

void Payload::fill(int trial, int root) const {
  with_element_type(datatype_, [&]<class Element>(Element) {
    fill_as<Element>(trial, root);
    for (int one = 1; one < expected_.threads; ++one) thread(one).fill_as<Element>(trial_of(trial, one), root);
  });
}

std::optional<Mismatch> Payload::verify(int trial, int root) const {
  return with_element_type(datatype_, [&]<class Element>(Element) {
    std::optional<Mismatch> wrong = verify_as<Element>(trial, root);
    for (int one = 1; one < expected_.threads && !wrong; ++one) {
      wrong = thread(one).verify_as<Element>(trial_of(trial, one), root);
      if (wrong) wrong->offset_bytes += one * thread_stride(expected_.of_thread.receive_bytes);
    }
    return wrong;
  });
}

}  // namespace groma
