#include "groma/operations/swap.hpp"

namespace groma {

template <class By>
std::vector<Entry> Swap<By>::forms() {
  std::vector<Entry> made;
  const auto add = [&made](Form form, Entry entry) {
    entry.form = form;
    made.push_back(std::move(entry));
  };
  constexpr SwapFacts facts = By::info.swap;
  if constexpr (facts.overlaps) add({"ordered", true}, entry_of<swap::InOrder<By, swap::OrderedOverlap>>());
  if constexpr (facts.alike) {
    const Entry alike = entry_of<swap::InOrder<By, swap::Alike>>();
    add({"simple", false}, alike);
    // One message at a time, nothing lies between a send and its receive that a delay could move.
    add({"delayed", false}, alike);
  }
  if constexpr (facts.alike && facts.overlaps) {
    add({"simple", true}, entry_of<swap::InOrder<By, swap::AlikeOverlap>>());
    add({"delayed", true}, entry_of<swap::InOrder<By, swap::DelayedOverlap>>());
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
