// The forms of a collective, all from one declaration: its calls and its arguments. An operation states
//
//   struct Allreduce : Placed {
//     static constexpr Info info{...};
//     using Call = Calls<MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init, MPI_Allreduce_c>;
//     auto arguments() const noexcept { return std::tuple(buffers.send, ..., site.comm); }
//   };
//
// and AllForms<Allreduce> are `allreduce`, `iallreduce`, `overlap/iallreduce`, `allreduce_init`,
// `overlap/allreduce_init`, `fresh/allreduce_init` and `allreduce_c`. The calls are template values, so that the
// compiler sees which function each loop calls.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "groma/info.hpp"
#include "groma/operations/calls.hpp"
#include "groma/operations/overlap.hpp"
#include "groma/operations/placed_requests.hpp"

namespace groma {

/// A text that the compiler puts together; it lives as long as the program.
struct Text {
  std::array<char, 160> letters{};
  std::size_t size = 0;

  constexpr Text(std::initializer_list<std::string_view> parts) {
    for (const std::string_view part : parts) {
      for (const char letter : part) letters[size++] = letter;
    }
  }
  constexpr operator std::string_view() const { return {letters.data(), size}; }
};

/// The call that starts a nonblocking form: MPI_Iallreduce for MPI_Allreduce.
constexpr Text starting(std::string_view call) {
  constexpr std::size_t prefix = std::string_view("MPI_").size();
  const char first = static_cast<char>(call[prefix] - 'A' + 'a');
  return {"MPI_I", {&first, 1}, call.substr(prefix + 1)};
}

template <class Operation>
struct Blocking : Operation {
  void step() noexcept { Operation::Call::now(this->arguments()); }
};

/// A form of `operation`, with a name and words of its own.
constexpr Info form_of(Info operation, std::string_view name, std::string_view summary, std::string_view calls) {
  const std::string_view of = operation.form_of.empty() ? operation.name : operation.form_of;
  operation = named(operation, name, summary, calls);
  operation.form_of = of;
  return operation;
}

/// Started, then waited for.
template <class Operation>
struct Nonblocking : Operation {
  static constexpr Text name{"i", Operation::info.name};
  static constexpr Text summary{"As ", Operation::info.name, ", nonblocking: started, then waited for."};
  static constexpr Text calls{starting(Operation::info.calls), ", MPI_Wait"};
  static constexpr Info info = form_of(Operation::info, name, summary, calls);
  MPI_Request request = MPI_REQUEST_NULL;

  void start() noexcept { Operation::Call::start(this->arguments(), &request); }
  void test() noexcept {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
  void wait() noexcept { MPI_Wait(&request, MPI_STATUS_IGNORE); }
  void step() noexcept {
    start();
    wait();
  }
};

/// A form in parts calls twice: in place, the second call would begin with the result of the first.
constexpr Info without_sharing(Info own) {
  if (own.sharing != Sharing::single) own.sharing = Sharing::refused;
  return own;
}

template <class Operation>
struct Overlapped : AroundWork<Nonblocking<Operation>> {
  static constexpr Text name{"overlap/i", Operation::info.name};
  static constexpr Text summary{"Nonblocking ", Operation::info.name, " alone, work alone, and the work inside it."};
  static constexpr Text calls{starting(Operation::info.calls), ", MPI_Test, MPI_Wait"};
  static constexpr Info info = without_sharing(Overlapped::in_parts(form_of(Operation::info, name, summary, calls)));
};

/// What persistent forms have in common: they need a call that a library may lack.
template <class Operation>
struct WithRequest : Operation {
  static constexpr Text call{Operation::info.calls, "_init"};
  static constexpr Text needed{"a usable ", call, " (MPI 4.0)"};
  static constexpr std::string_view lacks = Operation::Call::persistent ? std::string_view() : std::string_view(needed);
};

/// A request is made once, for each place of the arrays, and started every time.
template <class Operation>
struct Persistent : WithRequest<Operation> {
  static constexpr Text name{Operation::info.name, "_init"};
  static constexpr Text summary{"As ", Operation::info.name, ", persistent: made once, then started and waited for."};
  static constexpr Text calls{Persistent::call, ", MPI_Start, MPI_Wait"};
  static constexpr Info info = form_of(Operation::info, name, summary, calls);

  PlacedRequests kept;
  MPI_Request* requests = nullptr;  ///< one for each root, or one

  void bind() {
    requests = kept.at(this->buffers, [this] { return made(); });
  }
  void close() { kept.free(); }
  PlacedRequests::Requests made() {
    PlacedRequests::Requests all(this->site.roots_change ? static_cast<std::size_t>(this->site.ranks) : 1);
    const int root = this->site.root;
    for (std::size_t at = 0; at < all.size(); ++at) {
      if (this->site.roots_change) this->site.root = static_cast<int>(at);
      Operation::Call::make(this->arguments(), &all[at]);
    }
    this->site.root = root;
    return all;
  }
  [[nodiscard]] MPI_Request* request() const noexcept {
    if constexpr (info.rooted) return requests + this->site.roots_change * this->site.root;
    return requests;
  }
  void start() noexcept { MPI_Start(request()); }
  void test() noexcept {
    int done = 0;
    MPI_Test(request(), &done, MPI_STATUS_IGNORE);
  }
  void wait() noexcept { MPI_Wait(request(), MPI_STATUS_IGNORE); }
  void step() noexcept {
    start();
    wait();
  }
};

template <class Operation>
struct OverlappedPersistent : AroundWork<Persistent<Operation>> {
  static constexpr Text name{"overlap/", Operation::info.name, "_init"};
  static constexpr Text summary{"Persistent ", Operation::info.name, " alone, work alone, and the work inside it."};
  static constexpr Text calls{OverlappedPersistent::call, ", MPI_Start, MPI_Test, MPI_Wait"};
  static constexpr Info info =
      without_sharing(OverlappedPersistent::in_parts(form_of(Operation::info, name, summary, calls)));
};

/// What a persistent request costs: made, started, waited for and freed every time, and each of that timed.
template <class Operation>
struct Fresh : WithRequest<Operation> {
  static constexpr Text name{"fresh/", Operation::info.name, "_init"};
  static constexpr Text summary{"As ", Operation::info.name, "_init, with a request made and freed every time."};
  static constexpr Text calls{Fresh::call, ", MPI_Start, MPI_Wait, MPI_Request_free"};
  static constexpr Info info = [] {
    Info own = form_of(Operation::info, name, summary, calls);
    own.time = "one call and all that its request needs; see the phases";
    own.bandwidth = {};
    own.bus = Bus::undefined;
    own.timing = "call";
    return own;
  }();
  static constexpr std::array<std::string_view, 4> phases{"init", "start", "wait", "free"};
  static constexpr std::int64_t bytes_moved(const Shape&) { return 0; }
  static constexpr std::int64_t messages(const Shape&) { return 0; }
  std::vector<std::int64_t> phase_ns;  ///< of every repetition since they were last taken
  std::int64_t taken = 0;
  MPI_Request request = MPI_REQUEST_NULL;

  void open() {
    if constexpr (requires { Operation::open(); }) Operation::open();
    phase_ns.resize(phases.size() * static_cast<std::size_t>(longest_batch));
  }
  void step() noexcept {
    const std::int64_t begin = Monotonic::now();
    Operation::Call::make(this->arguments(), &request);
    const std::int64_t made = Monotonic::now();
    MPI_Start(&request);
    const std::int64_t started = Monotonic::now();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    const std::int64_t waited = Monotonic::now();
    MPI_Request_free(&request);
    const std::int64_t end = Monotonic::now();
    std::int64_t* own = &phase_ns[static_cast<std::size_t>(taken++) * phases.size()];
    own[0] = made - begin;
    own[1] = started - made;
    own[2] = waited - started;
    own[3] = end - waited;
  }
};

/// By the call whose counts go beyond int.
template <class Operation>
struct WithLargeCounts : Operation {
  static constexpr Text name{Operation::info.name, "_c"};
  static constexpr Text summary{"As ", Operation::info.name, ", by the call whose counts go beyond int."};
  static constexpr Text calls{Operation::info.calls, "_c"};
  static constexpr Text needed{calls, " (MPI 4.0)"};
  static constexpr std::string_view lacks = Operation::Call::counts_far ? std::string_view() : std::string_view(needed);
  static constexpr Info info = [] {
    Info own = form_of(Operation::info, name, summary, calls);
    own.large = true;
    return own;
  }();
  void step() noexcept { Operation::Call::now_large(this->arguments()); }
};

template <class Operation>
using FormsWithoutCounts = OperationList<Blocking<Operation>, Nonblocking<Operation>, Overlapped<Operation>,
                                         Persistent<Operation>, OverlappedPersistent<Operation>, Fresh<Operation>>;

template <class Operation>
using AllForms = OperationList<FormsWithoutCounts<Operation>, WithLargeCounts<Operation>>;

}  // namespace groma
