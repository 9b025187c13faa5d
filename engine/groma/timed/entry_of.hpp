// An entry from the type of an operation. What has no code of its own is settled by the compiler: a family has hundreds
// of operations.
#pragma once

#include <cstddef>
#include <vector>

#include "groma/machine/team.hpp"
#include "groma/timed/entry.hpp"
#include "groma/timed/operation.hpp"

namespace groma {

template <class Operation, class Clock>
inline constexpr Loops loops_of{&call_loop<Operation, Clock>, &block_loop<Operation, Clock>};

template <class Options>
ResolvedOptions resolve_options(const Settings& settings) {
  return hold(new Options(options_of<Options>(settings)), [](void* options) { delete static_cast<Options*>(options); });
}

/// Frees what the operation opened, then the operation.
template <class Operation>
void close_operation(void* erased) {
  auto* operation = static_cast<Operation*>(erased);
  if constexpr (requires { operation->close(); }) operation->close();
  delete operation;
}

/// Gives the operation its buffers; what it has bound to the old ones is bound again.
template <class Operation>
void place_operation(void* operation, const Buffers& buffers) {
  auto& placed = *static_cast<Operation*>(operation);
  placed.buffers = buffers;
  if constexpr (requires { placed.bind(); }) placed.bind();
}

/// An operation in its place, with whatever it must open before it can run.
template <class Operation>
std::shared_ptr<void> make_operation(const Site& site, const Buffers& buffers, [[maybe_unused]] const void* options) {
  auto* operation = new Operation;
  std::shared_ptr<void> held = hold(operation, &close_operation<Operation>);
  operation->site = site;
  operation->buffers = buffers;
  if constexpr (requires { operation->options; }) operation->options = options_as<Operation>(options);
  if constexpr (requires { operation->open(); }) operation->open();
  if constexpr (requires { operation->bind(); }) operation->bind();
  return held;
}

template <class Operation>
std::vector<std::int64_t> take_phases_of(void* operation) {
  auto& timed = *static_cast<Operation*>(operation);
  const auto count = static_cast<std::ptrdiff_t>(timed.taken * static_cast<std::int64_t>(Operation::phases.size()));
  timed.taken = 0;
  return {timed.phase_ns.begin(), timed.phase_ns.begin() + count};
}

template <class Operation>
constexpr Declared declare() {
  static_assert(is_operation<Operation>());
  using Options = OptionsOf<Operation>;
  Declared one{.info = Operation::info,
               .options = option_table<Options>,
               .resolve = &resolve_options<Options>,
               .bytes_moved = &bytes_moved_by<Operation>,
               .messages = &messages_of<Operation>,
               .memory = &memory_of<Operation>,
               .contents = &contents_of<Operation>,
               .make = &make_operation<Operation>,
               .place = &place_operation<Operation>};
  if constexpr (requires { Operation::lacks; }) one.lacks = Operation::lacks;
  if constexpr (requires(const Request& request, const Options& options) { Operation::check(request, options); }) {
    one.check = [](const Request& request, const void* options) {
      return Operation::check(request, options_as<Operation>(options));
    };
  } else if constexpr (requires(const Request& request) { Operation::check(request); }) {
    one.check = [](const Request& request, const void*) { return Operation::check(request); };
  }
  if constexpr (requires(const Shape& shape, const Options& options) { Operation::grid_lengths(shape, options); }) {
    one.grid = [](const Shape& shape, const void* options) {
      return Operation::grid_lengths(shape, options_as<Operation>(options));
    };
  }
  if constexpr (requires(Operation timed) { timed.team; }) {
    one.threads = [](const void* options) -> int { return options_as<Operation>(options).threads; };
    one.gather = [](void* operation, bool at_work) {
      Team& team = static_cast<Operation*>(operation)->team;
      at_work ? team.gather() : team.dismiss();
    };
  }
  if constexpr (requires(Operation timed) { timed.new_rank(); }) {
    one.new_rank = [](void* operation) -> int { return static_cast<Operation*>(operation)->new_rank(); };
  }
  if constexpr (requires { &Operation::expose; }) {
    one.expose = [](void* operation) { static_cast<Operation*>(operation)->expose(); };
    one.deliver = [](void* operation) { static_cast<Operation*>(operation)->deliver(); };
  }
  if constexpr (Operation::info.on_file) {
    one.ready = [](void* operation) { static_cast<Operation*>(operation)->ready(); };
    one.file = [](const void* operation) { return static_cast<const Operation*>(operation)->found; };
  }
  if constexpr (requires(const Operation& timed) { timed.trouble(); }) {
    one.trouble = [](const void* operation) { return static_cast<const Operation*>(operation)->trouble(); };
    one.trouble_reason = Operation::trouble_reason;
  }
  if constexpr (requires { Operation::happened(); }) one.happened = &Operation::happened;
  if constexpr (requires { Operation::after_init; }) one.after_init = true;
  if constexpr (requires { Operation::at_end; }) one.at_end = true;
  if constexpr (requires { Operation::phases; }) {
    one.phases = Operation::phases;
    one.take_phases = &take_phases_of<Operation>;
  }
  [&]<class... Clock>(std::tuple<Clock...>*) {
    one.loops = {loops_of<Operation, Clock>...};
  }(static_cast<Clocks*>(nullptr));
  one.slowed = loops_of<Operation, Slowed>;
  if constexpr (is_touched<Operation>) {
    one.touch = &touch_lines<Operation>;
    one.time_touches = &time_touches<Operation>;
  }
  return one;
}
template <class Operation>
inline constexpr Declared declared = declare<Operation>();

template <class Operation>
Entry entry_of() {
  Entry entry{declared<Operation>};
  if constexpr (requires { Operation::facts(); }) entry.facts = Operation::facts();
  if constexpr (requires { Operation::forms(); }) entry.forms = Operation::forms();
  if constexpr (Operation::info.touches && !is_touched<Operation>) entry.touched = {entry_of<Touched<Operation>>()};
  return entry;
}

}  // namespace groma
