#include "groma/operations/swap.hpp"

#include <string>

#include "groma/errors.hpp"

namespace groma {
namespace swap {

void check_swap(const Request& request, const SwapOptions& options, const Facts& protocol) {
  const std::string operation(request.operation);
  if (request.elements % options.messages != 0) {
    throw InputError("swap_messages=" + std::to_string(options.messages) + " of " + operation +
                     " does not divide its " + std::to_string(request.elements) + " elements of " +
                     std::string(request.datatype) + "; a swap is cut into messages of equal length");
  }
  if (options.order != Order::ordered && !protocol.alike) {
    const std::string_view order = orders[static_cast<std::size_t>(options.order)].name;
    throw InputError("swap_order=" + std::string(order) + " of " + operation +
                     " can hang: both ranks of a pair would be in a send that may wait for the other's receive; use "
                     "swap_order=ordered");
  }
  if (options.overlap && !protocol.overlaps) {
    throw InputError("swap_overlap=true of " + operation +
                     " has nothing to overlap: its sends and its receives both block; leave it out");
  }
}

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

template struct Swap<swap::Simple>;
template struct Swap<swap::NonblockingSend>;
template struct Swap<swap::NonblockingReceive>;
template struct Swap<swap::Nonblocking>;
template struct Swap<swap::Ready>;
template struct Swap<swap::NonblockingReady>;
template struct Swap<swap::Synchronous>;
template struct Swap<swap::NonblockingSendSync>;
template struct Swap<swap::NonblockingReceiveSync>;
template struct Swap<swap::NonblockingSync>;
template struct Swap<swap::SimpleSync>;

}  // namespace groma
