// The catalogue's view of an operation: what it says of itself, and its loops as plain function pointers.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "groma/clock/clocks.hpp"
#include "groma/info.hpp"
#include "groma/measure/loop.hpp"
#include "groma/sync/sync.hpp"

namespace groma {

template <class... Operations>
struct OperationList {};

using Loop = std::int64_t (*)(void* operation, const Batch& batch) noexcept;

/// The values of a point's fields that choose among the loops of one operation. They are settled by the compiler: a
/// loop does not branch on them.
struct Form {
  std::string_view swap_order = "ordered";
  bool swap_overlap = false;
};

struct Entry {
  Info info;
  std::int64_t (*bytes_moved)(const Shape&) = nullptr;
  std::int64_t (*messages)(const Shape&) = nullptr;
  std::shared_ptr<void> (*make)(const Site&, const Buffers&) = nullptr;
  void (*place)(void* operation, const Buffers&) = nullptr;  ///< other buffers for the repetitions to come
  std::span<const std::string_view> phases{};                ///< parts of a repetition that the operation times itself
  /// Those parts in ns, one repetition behind the other, since they were last taken; null where there are none.
  std::vector<std::int64_t> (*take_phases)(void* operation) = nullptr;
  std::array<std::array<Loop, std::tuple_size_v<Syncs>>, std::tuple_size_v<Clocks>> call{};  ///< [clock][sync]
  std::array<Loop, std::tuple_size_v<Clocks>> block{};                                       ///< [clock]
  std::array<Loop, std::tuple_size_v<Syncs>> slowed_call{};  ///< [sync], with a wait before the closing stamp
  Loop slowed_block = nullptr;
  Form form{};
  std::vector<Entry> forms{};  ///< the same operation in its other forms
};

template <class Operation>
std::int64_t bytes_moved_by(const Shape& shape) {
  if constexpr (requires { Operation::bytes_moved(shape); }) {
    return Operation::bytes_moved(shape);
  } else {
    return Operation::info.send == Size::none ? 0 : shape.bytes;
  }
}

template <class Operation>
std::int64_t messages_of(const Shape& shape) {
  if constexpr (requires { Operation::messages(shape); }) {
    return Operation::messages(shape);
  } else {
    return 0;
  }
}

/// An operation in its place, with whatever it must set up before it can run.
template <class Operation>
std::shared_ptr<void> make_operation(const Site& site, const Buffers& buffers) {
  auto operation = std::make_shared<Operation>();
  operation->site = site;
  operation->buffers = buffers;
  if constexpr (requires { operation->open(); }) operation->open();
  return operation;
}

template <class Operation>
void place_operation(void* operation, const Buffers& buffers) {
  auto& placed = *static_cast<Operation*>(operation);
  placed.buffers = buffers;
  if constexpr (requires { placed.close(); }) {
    placed.close();
    placed.open();
  }
}

template <class Operation>
std::vector<std::int64_t> take_phases_of(void* operation) {
  auto& timed = *static_cast<Operation*>(operation);
  const auto count = static_cast<std::ptrdiff_t>(timed.taken * static_cast<std::int64_t>(Operation::phases.size()));
  timed.taken = 0;
  return {timed.phase_ns.begin(), timed.phase_ns.begin() + count};
}

template <class Operation>
Entry entry_of() {
  Entry entry{.info = Operation::info,
              .bytes_moved = &bytes_moved_by<Operation>,
              .messages = &messages_of<Operation>,
              .make = &make_operation<Operation>,
              .place = &place_operation<Operation>};
  if constexpr (requires { Operation::phases; }) {
    entry.phases = Operation::phases;
    entry.take_phases = &take_phases_of<Operation>;
  }
  [&]<class... Clock>(std::tuple<Clock...>*) {
    entry.block = {&block_loop<Operation, Clock>...};
    entry.slowed_block = &block_loop<Operation, Slowed>;
    [&]<class... Sync>(std::tuple<Sync...>*) {
      const auto row = []<class One>(One*) {
        return std::array<Loop, sizeof...(Sync)>{&call_loop<Operation, One, Sync>...};
      };
      entry.call = {row(static_cast<Clock*>(nullptr))...};
      entry.slowed_call = row(static_cast<Slowed*>(nullptr));
    }(static_cast<Syncs*>(nullptr));
  }(static_cast<Clocks*>(nullptr));
  if constexpr (requires { Operation::forms(); }) entry.forms = Operation::forms();
  return entry;
}

template <class Operation>
void add_entries(std::vector<Entry>& entries, Operation*) {
  entries.push_back(entry_of<Operation>());
}

/// A list in a list stands for its operations.
template <class... Operations>
void add_entries(std::vector<Entry>& entries, OperationList<Operations...>*) {
  (add_entries(entries, static_cast<Operations*>(nullptr)), ...);
}

template <class... Operations>
std::vector<Entry> entries_of(OperationList<Operations...>) {
  std::vector<Entry> entries;
  add_entries(entries, static_cast<OperationList<Operations...>*>(nullptr));
  return entries;
}

/// The entries of the catalogue that ships with Groma.
const std::vector<Entry>& catalogue();

}  // namespace groma
