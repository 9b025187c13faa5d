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
#include "groma/mpi/shared_file.hpp"
#include "groma/timed/loop.hpp"
#include "groma/timed/touched.hpp"

namespace groma {

using Loop = std::int64_t (*)(void* operation, const Batch& batch) noexcept;

/// The loops of an operation with one clock.
struct Loops {
  Loop call = nullptr;
  Loop block = nullptr;
};

/// What the catalogue says of the operations of one family alone, such as the number of a swap's protocol.
struct FamilyFacts {
  std::string_view family;
  std::vector<std::pair<std::string_view, Value>> facts;
};

/// An operation's options once they are known. Their type is known to the operation's own functions alone.
using ResolvedOptions = std::shared_ptr<const void>;

/// What the compiler knows of an operation (entry_of.hpp). What an operation has not is null.
struct Declared {
  Info info;
  std::span<const Option> options{};  ///< its parameters
  std::string_view lacks{};           ///< what it needs and this engine's MPI library has not got; empty if it can run
  ResolvedOptions (*resolve)(const Settings&) = nullptr;
  void (*check)(const Request&, const void* options) = nullptr;  ///< throws InputError, or UnfitError
  std::int64_t (*bytes_moved)(const Shape&, const void* options) = nullptr;
  std::int64_t (*messages)(const Shape&, const void* options) = nullptr;
  Memory (*memory)(const Shape&, const void* options) = nullptr;
  Contents (*contents)(const Site&, const void* options) = nullptr;
  int (*threads)(const void* options) = nullptr;                          ///< of each rank
  std::vector<int> (*grid)(const Shape&, const void* options) = nullptr;  ///< lengths of the grid of ranks, if any
  std::shared_ptr<void> (*make)(const Site&, const Buffers&, const void* options) = nullptr;
  int (*new_rank)(void* operation) = nullptr;  ///< this rank's number in a communicator that may number ranks anew
  void (*place)(void* operation, const Buffers&) = nullptr;  ///< other buffers for the repetitions to come
  void (*gather)(void* operation, bool) = nullptr;           ///< its threads, or dismiss them
  // Of one-sided operations: see Subject.
  void (*expose)(void* operation) = nullptr;
  void (*deliver)(void* operation) = nullptr;
  // Of operations whose calls return their errors: what went wrong on this rank, if anything did, and the reason that
  // its failure has.
  std::string (*trouble)(const void* operation) = nullptr;
  std::string_view trouble_reason{};
  // Of operations on files: what is done before each repetition, outside the stamps; and where the file is.
  void (*ready)(void* operation) = nullptr;
  FileFacts (*file)(const void* operation) = nullptr;
  /// Of operations that happen once in a launch: the times of this rank in ns.
  std::vector<std::int64_t> (*happened)() = nullptr;
  bool after_init = false;                     ///< the first messages are exchanged for them
  bool at_end = false;                         ///< it happens when MPI ends: the time is known after the last point
  std::span<const std::string_view> phases{};  ///< parts of a repetition that the operation times itself
  /// Those parts in ns, one repetition behind the other, since they were last taken.
  std::vector<std::int64_t> (*take_phases)(void* operation) = nullptr;
  std::array<Loops, std::tuple_size_v<Clocks>> loops{};  ///< [clock]
  Loops slowed{};                                        ///< with a wait before the closing stamp
  // Of one with touched messages: what this rank touches, which stays in its place, and how long that takes.
  void (*touch)(void* operation, const Touch& lines) = nullptr;
  void (*time_touches)(void* operation, TouchTimes& times) = nullptr;
};

struct Entry : Declared {
  FamilyFacts facts{};
  /// The same operation in its other forms. Options choose the form: its loops are its own, and branch on none of them.
  std::vector<Entry> forms{};
  bool (*is_form_for)(const void* options) = nullptr;  ///< of a form: whether these options ask for it
  std::vector<Entry> touched{};  ///< the same operation with touched messages between the stamps; none, or one
};

/// The entry of the operation that this type is: entry_of.hpp.
template <class Operation>
Entry entry_of();

template <class Operation>
const OptionsOf<Operation>& options_as(const void* options) {
  return *static_cast<const OptionsOf<Operation>*>(options);
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

/// An operation with the options of one point, resolved once, in the form that they ask for.
class Configured {
 public:
  /// `touched`: with touched messages between the stamps, of an operation that can do that.
  Configured(const Entry& entry, const Settings& settings, bool touched = false);

  [[nodiscard]] const Entry& entry() const { return *entry_; }
  [[nodiscard]] const Info& info() const { return entry_->info; }
  void check(const Request& request) const {
    if (entry_->check != nullptr) entry_->check(request, options_.get());
  }
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
  [[nodiscard]] std::vector<int> grid(const Shape& shape) const {
    return entry_->grid == nullptr ? std::vector<int>{} : entry_->grid(shape, options_.get());
  }
  [[nodiscard]] std::shared_ptr<void> make(const Site& site, const Buffers& buffers) const {
    return entry_->make(site, buffers, options_.get());
  }

 private:
  const Entry* entry_;
  ResolvedOptions options_;
};

/// Keeps an object of any type until nobody needs it.
std::shared_ptr<void> hold(void* object, void (*close)(void*));

/// The entries of the catalogue that ships with Groma.
const std::vector<Entry>& catalogue();

/// The parameters of these operations, each once. Throws InputError if two declare one differently.
std::vector<Parameter> parameters_of(const std::vector<Entry>& entries);

}  // namespace groma
