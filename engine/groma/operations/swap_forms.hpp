// Makes the loops of a swap's protocols, each in every order that it allows. Only the sources of the swaps include it.
#pragma once

#include "groma/operations/family.hpp"
#include "groma/operations/swap.hpp"

namespace groma {
namespace swap {

/// The loops of one protocol for one order, with overlap or without.
template <class By, template <class> class Steps, Order order, bool overlap>
Entry form() {
  Entry entry = entry_of<InOrder<By, Steps>>();
  entry.is_form_for = [](const void* erased) {
    const auto& options = *static_cast<const SwapOptions*>(erased);
    return options.order == order && options.overlap == overlap;
  };
  return entry;
}

}  // namespace swap

template <class By>
std::vector<Entry> Swap<By>::forms() {
  using swap::Order;
  constexpr swap::Facts protocol = By::protocol;
  std::vector<Entry> made;
  if constexpr (protocol.overlaps) made.push_back(swap::form<By, swap::OrderedOverlap, Order::ordered, true>());
  if constexpr (protocol.alike) {
    made.push_back(swap::form<By, swap::Alike, Order::simple, false>());
    // One message at a time, nothing lies between a send and its receive that a delay could move.
    made.push_back(swap::form<By, swap::Alike, Order::delayed, false>());
  }
  if constexpr (protocol.alike && protocol.overlaps) {
    made.push_back(swap::form<By, swap::AlikeOverlap, Order::simple, true>());
    made.push_back(swap::form<By, swap::DelayedOverlap, Order::delayed, true>());
  }
  return made;
}

}  // namespace groma
