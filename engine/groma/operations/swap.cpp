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

}  // namespace swap
}  // namespace groma
