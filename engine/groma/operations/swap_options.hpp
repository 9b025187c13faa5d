// The parameters of swaps, and what each protocol allows of them.
#pragma once

#include <array>

#include "groma/info.hpp"

namespace groma {
namespace swap {

enum class Order { ordered, simple, delayed };

inline constexpr Choice orders[] = {
    {"ordered", "the lower rank of a pair sends first, the upper one receives first"},
    {"simple", "both send first, then complete their receive"},
    {"delayed", "both send first; receives are completed last (as simple without swap_overlap)"}};

}  // namespace swap

struct SwapOptions {
  int messages = 1;
  swap::Order order = swap::Order::ordered;
  bool overlap = false;

  static constexpr auto table() {
    return std::array{
        option<&SwapOptions::messages>(parameter::count("swap_messages", "1", "messages", {1, 65536},
                                                        "messages of equal length into which a swap's bytes are cut")),
        option<&SwapOptions::order>(
            parameter::choice("swap_order", "ordered", swap::orders, "who sends first in a swap")),
        option<&SwapOptions::overlap>(parameter::flag(
            "swap_overlap", "all messages of a swap are under way at once, instead of one after the other"))};
  }
};

namespace swap {

/// What an operation says of its protocol.
struct Facts {
  int number = 0;         ///< COMMTEST's
  bool alike = false;     ///< both ranks of a pair may send first: swap_order=simple and delayed
  bool overlaps = false;  ///< something in it does not block: swap_overlap=true
};

/// Throws InputError for a combination that can't be measured.
void check_swap(const Request& request, const SwapOptions& options, const Facts& protocol);

}  // namespace swap
}  // namespace groma
