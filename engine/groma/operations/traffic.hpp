// Who sends what to whom, where several operations have it in common.
#pragma once

#include "groma/info.hpp"

namespace groma {

/// Each rank of a pair sends its partner one message and receives one; names, times and the rest are the operation's.
constexpr Info between_partners(Info own) {
  own.family = Family::point_to_point;
  own.parties = Parties::pairs;
  own.min_ranks = 2;
  own.send = Size::message;
  own.receive = Size::message;
  own.result = Result::from_partner;
  return own;
}

/// As between_partners, with as much room for what is received as the operation's `memory` states.
constexpr Info windows_between_partners(Info own) {
  own = between_partners(own);
  own.receive = Size::stated;
  return own;
}

/// One repetition counts this many messages of full length.
template <std::int64_t number>
struct MessagesCounted : Placed {
  static constexpr std::int64_t bytes_moved(const Shape& shape) { return number * shape.bytes; }
  static constexpr std::int64_t messages(const Shape&) { return number; }
};

/// One rank has a block of every rank, or for every rank, and its own block does not travel.
struct BlocksOfOthers : Placed {
  static constexpr std::int64_t bytes_moved(const Shape& shape) { return (shape.ranks - 1) * shape.bytes; }
};

}  // namespace groma
