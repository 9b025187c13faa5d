// The catalogue's view of an operation: what it says of itself, and its loops as plain function pointers.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "groma/clock/clocks.hpp"
#include "groma/info.hpp"
#include "groma/machine/team.hpp"
#include "groma/mpi/shared_file.hpp"
#include "groma/sync/sync.hpp"
#include "groma/timed/loop.hpp"
#include "groma/timed/operation.hpp"
#include "groma/timed/touched.hpp"

namespace groma {

using Loop = std::int64_t (*)(void* operation, const Batch& batch) noexcept;

/// What the catalogue says of the operations of one family alone, such as the number of a swap's protocol.
struct FamilyFacts {
  std::string_view family;
  std::vector<std::pair<std::string_view, Value>> facts;
};

/// An operation's options once they are known. Their type is known to the operation's own functions alone.
using ResolvedOptions = std::shared_ptr<const void>;

struct Entry {
  Info info;
  std::span<const Option> options{};  ///< its parameters
  FamilyFacts facts{};
  std::string_view lacks{};  ///< what it needs and this engine's MPI library has not got; empty if it can run
  ResolvedOptions (*resolve)(const Settings&) = nullptr;
  void (*check)(const Request&, const void* options) = nullptr;  ///< throws InputError, or UnfitError
  std::int64_t (*bytes_moved)(const Shape&, const void* options) = nullptr;
  std::int64_t (*messages)(const Shape&, const void* options) = nullptr;
  Memory (*memory)(const Shape&, const void* options) = nullptr;
  Contents (*contents)(const Site&, const void* options) = nullptr;
  int (*threads)(const void* options) = nullptr;  ///< of each rank; null if the operation has none
  std::vector<int> (*grid)(const Shape&, const void* options) = nullptr;  ///< lengths of the grid of ranks, if any
  std::shared_ptr<void> (*make)(const Site&, const Buffers&, const void* options) = nullptr;
  int (*new_rank)(void* operation) = nullptr;  ///< this rank's number in a communicator that may number ranks anew
  void (*place)(void* operation, const Buffers&) = nullptr;  ///< other buffers for the repetitions to come
  void (*gather)(void* operation, bool) = nullptr;           ///< its threads, or dismiss them; null if it has none
  // Of one-sided operations: see Subject. Null for all others.
  void (*expose)(void* operation) = nullptr;
  void (*deliver)(void* operation) = nullptr;
  // Of operations whose calls return their errors: what went wrong on this rank, if anything did, and the reason that
  // its failure has.
  std::string (*trouble)(const void* operation) = nullptr;
  std::string_view trouble_reason{};
  // Of operations on files: what is done before each repetition, outside the stamps; and where the file is. Null for
  // all others.
  void (*ready)(void* operation) = nullptr;
  FileFacts (*file)(const void* operation) = nullptr;
  /// Of operations that happen once in a launch: the times of this rank in ns. Null for all others.
  std::vector<std::int64_t> (*happened)() = nullptr;
  bool after_init = false;                     ///< the first messages are exchanged for them
  bool at_end = false;                         ///< it happens when MPI ends: the time is known after the last point
  std::span<const std::string_view> phases{};  ///< parts of a repetition that the operation times itself
  /// Those parts in ns, one repetition behind the other, since they were last taken; null if there are none.
  std::vector<std::int64_t> (*take_phases)(void* operation) = nullptr;
  std::array<std::array<Loop, std::tuple_size_v<Syncs>>, std::tuple_size_v<Clocks>> call{};  ///< [clock][sync]
  std::array<Loop, std::tuple_size_v<Clocks>> block{};                                       ///< [clock]
  std::array<Loop, std::tuple_size_v<Syncs>> slowed_call{};  ///< [sync], with a wait before the closing stamp
  Loop slowed_block = nullptr;
  /// The same operation in its other forms. Options choose the form: its loops are its own, and branch on none of them.
  std::vector<Entry> forms{};
  bool (*is_form_for)(const void* options) = nullptr;  ///< of a form: whether these options ask for it
  std::vector<Entry> touched{};  ///< the same operation with touched messages between the stamps; none, or one
  // Of that one alone: what this rank touches, which stays in its place, and how long that takes.
  void (*touch)(void* operation, const Touch& lines) = nullptr;
  void (*time_touches)(void* operation, TouchTimes& times) = nullptr;
};

/// An operation with the options of one point, resolved once, in the form that they ask for.
class Configured {
 public:
  /// `touched`: with touched messages between the stamps, of an operation that can do that.
  Configured(const Entry& entry, const Settings& settings, bool touched = false);

  [[nodiscard]] const Entry& entry() const { return *entry_; }
  [[nodiscard]] const Info& info() const { return entry_->info; }
  void check(const Request& request) const { entry_->check(request, options_.get()); }
  [[nodiscard]] std::int64_t bytes_moved(const Shape& shape) const {
    return entry_->bytes_moved(shape, options_.get());
  }
  [[nodiscard]] std::int64_t messages(const Shape& shape) const { return entry_->messages(shape, options_.get()); }
  /// Threads of each rank; those of an operation without are the one that there is.
  [[nodiscard]] int threads() const { return entry_->threads == nullptr ? 1 : entry_->threads(options_.get()); }
  [[nodiscard]] Memory memory_of_thread(const Shape& shape) const { return entry_->memory(shape, options_.get()); }
  /// Threads that have messages and arrays of their own.
  [[nodiscard]] int lanes() const { return info().threads_share ? 1 : threads(); }
  /// Of all threads of a rank.
  [[nodiscard]] Memory memory(const Shape& shape) const;
  [[nodiscard]] Contents contents(const Site& site) const { return entry_->contents(site, options_.get()); }
  [[nodiscard]] std::vector<int> grid(const Shape& shape) const { return entry_->grid(shape, options_.get()); }
  [[nodiscard]] std::shared_ptr<void> make(const Site& site, const Buffers& buffers) const {
    return entry_->make(site, buffers, options_.get());
  }

 private:
  const Entry* entry_;
  ResolvedOptions options_;
};

template <class Operation>
ResolvedOptions resolve_options(const Settings& settings) {
  return std::make_shared<const OptionsOf<Operation>>(options_of<OptionsOf<Operation>>(settings));
}

template <class Operation>
const OptionsOf<Operation>& options_as(const void* options) {
  return *static_cast<const OptionsOf<Operation>*>(options);
}

template <class Operation>
void check_options([[maybe_unused]] const Request& request, [[maybe_unused]] const void* options) {
  if constexpr (requires { Operation::check(request, options_as<Operation>(options)); }) {
    Operation::check(request, options_as<Operation>(options));
  } else if constexpr (requires { Operation::check(request); }) {
    Operation::check(request);
  }
}

template <class Operation>
std::int64_t bytes_moved_by(const Shape& shape, [[maybe_unused]] const void* options) {
  if constexpr (requires { Operation::bytes_moved(shape, options_as<Operation>(options)); }) {
    return Operation::bytes_moved(shape, options_as<Operation>(options));
  } else if constexpr (requires { Operation::bytes_moved(shape); }) {
    return Operation::bytes_moved(shape);
  } else {
    return Operation::info.send == Size::none ? 0 : shape.bytes;
  }
}

template <class Operation>
std::int64_t messages_of([[maybe_unused]] const Shape& shape, [[maybe_unused]] const void* options) {
  if constexpr (requires { Operation::messages(shape, options_as<Operation>(options)); }) {
    return Operation::messages(shape, options_as<Operation>(options));
  } else if constexpr (requires { Operation::messages(shape); }) {
    return Operation::messages(shape);
  } else {
    return 0;
  }
}

/// Bytes of one array for messages of `shape`.
std::int64_t array_bytes(Size size, const Shape& shape);

template <class Operation>
Memory memory_of(const Shape& shape, [[maybe_unused]] const void* options) {
  if constexpr (requires { Operation::memory(shape, options_as<Operation>(options)); }) {
    return Operation::memory(shape, options_as<Operation>(options));
  } else if constexpr (requires { Operation::memory(shape); }) {
    return Operation::memory(shape);
  } else {
    static_assert(Operation::info.send != Size::stated && Operation::info.receive != Size::stated,
                  "Info says that a size is stated: add a static function `memory`");
    return {array_bytes(Operation::info.send, shape), array_bytes(Operation::info.receive, shape)};
  }
}

template <class Operation>
Contents contents_of([[maybe_unused]] const Site& site, [[maybe_unused]] const void* options) {
  if constexpr (requires { Operation::contents(site, options_as<Operation>(options)); }) {
    return Operation::contents(site, options_as<Operation>(options));
  } else if constexpr (requires { Operation::contents(site); }) {
    return Operation::contents(site);
  } else {
    constexpr Result result = Operation::info.result;
    static_assert(result != Result::stated && result != Result::stated_any_order && result != Result::stated_plus_own,
                  "Info says that the result is stated: add a static function `contents`");
    return {};
  }
}

template <class Operation>
std::vector<int> grid_lengths([[maybe_unused]] const Shape& shape, [[maybe_unused]] const void* options) {
  if constexpr (requires { Operation::grid_lengths(shape, options_as<Operation>(options)); }) {
    return Operation::grid_lengths(shape, options_as<Operation>(options));
  } else {
    return {};
  }
}

template <class Operation>
int threads_of([[maybe_unused]] const void* options) {
  return options_as<Operation>(options).threads;
}

/// Frees what the operation opened, then the operation.
template <class Operation>
void close_operation(Operation* operation) {
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
  std::shared_ptr<Operation> operation(new Operation, &close_operation<Operation>);
  operation->site = site;
  operation->buffers = buffers;
  if constexpr (requires { operation->options; }) operation->options = options_as<Operation>(options);
  if constexpr (requires { operation->open(); }) operation->open();
  if constexpr (requires { operation->bind(); }) operation->bind();
  return operation;
}

template <class Operation>
std::vector<std::int64_t> take_phases_of(void* operation) {
  auto& timed = *static_cast<Operation*>(operation);
  const auto count = static_cast<std::ptrdiff_t>(timed.taken * static_cast<std::int64_t>(Operation::phases.size()));
  timed.taken = 0;
  return {timed.phase_ns.begin(), timed.phase_ns.begin() + count};
}

template <class Operation>
int new_rank_in(void* operation) {
  return static_cast<Operation*>(operation)->new_rank();
}

template <class Operation>
Entry entry_of() {
  static_assert(is_operation<Operation>());
  Entry entry{.info = Operation::info,
              .options = option_table<OptionsOf<Operation>>,
              .resolve = &resolve_options<Operation>,
              .check = &check_options<Operation>,
              .bytes_moved = &bytes_moved_by<Operation>,
              .messages = &messages_of<Operation>,
              .memory = &memory_of<Operation>,
              .contents = &contents_of<Operation>,
              .grid = &grid_lengths<Operation>,
              .make = &make_operation<Operation>,
              .place = &place_operation<Operation>};
  if constexpr (requires { Operation::lacks; }) entry.lacks = Operation::lacks;
  if constexpr (requires(Operation one) { one.team; }) {
    entry.threads = &threads_of<Operation>;
    entry.gather = [](void* operation, bool at_work) {
      Team& team = static_cast<Operation*>(operation)->team;
      at_work ? team.gather() : team.dismiss();
    };
  }
  if constexpr (requires(Operation one) { one.new_rank(); }) entry.new_rank = &new_rank_in<Operation>;
  if constexpr (requires { Operation::facts(); }) entry.facts = Operation::facts();
  if constexpr (requires { &Operation::expose; }) {
    entry.expose = [](void* operation) { static_cast<Operation*>(operation)->expose(); };
    entry.deliver = [](void* operation) { static_cast<Operation*>(operation)->deliver(); };
  }
  if constexpr (Operation::info.on_file) {
    entry.ready = [](void* operation) { static_cast<Operation*>(operation)->ready(); };
    entry.file = [](const void* operation) { return static_cast<const Operation*>(operation)->found; };
  }
  if constexpr (requires(const Operation& one) { one.trouble(); }) {
    entry.trouble = [](const void* operation) { return static_cast<const Operation*>(operation)->trouble(); };
    entry.trouble_reason = Operation::trouble_reason;
  }
  if constexpr (requires { Operation::happened(); }) entry.happened = &Operation::happened;
  if constexpr (requires { Operation::after_init; }) entry.after_init = true;
  if constexpr (requires { Operation::at_end; }) entry.at_end = true;
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
  if constexpr (is_touched<Operation>) {
    entry.touch = &touch_lines<Operation>;
    entry.time_touches = &time_touches<Operation>;
  } else if constexpr (Operation::info.touches) {
    entry.touched = {entry_of<Touched<Operation>>()};
  }
  return entry;
}

/// The entries of the catalogue that ships with Groma.
const std::vector<Entry>& catalogue();

/// The parameters of these operations, each once. Throws InputError if two declare one differently.
std::vector<Parameter> parameters_of(const std::vector<Entry>& entries);

}  // namespace groma
