// The timed loops: the only code that runs between stamps, instantiated for every operation and clock.
//
// Nothing between two stamps allocates, throws, branches on options or calls through a pointer; a test disassembles
// every instance and finds only direct MPI and clock calls, and outside the stamps the call that brings the ranks
// together (docs/adr/0070).
#pragma once

#include <cstdint>

#include "groma/info.hpp"
#include "groma/timed/syncs.hpp"

namespace groma {

/// One batch of repetitions: where the stamps go (raw clock ticks), and what changes from one repetition to the next.
struct Batch {
  std::int64_t* start = nullptr;
  std::int64_t* end = nullptr;
  const int* roots = nullptr;  ///< the root of each repetition
  std::int64_t repetitions = 0;
  Meeting meeting;
  std::int64_t wait_ns = 0;  ///< passes before the closing stamp of a point that is slowed on purpose
};

/// The compiler may move no memory access across this line.
inline void fence() noexcept { asm volatile("" ::: "memory"); }

template <class Operation>
void prepare([[maybe_unused]] Operation& operation, [[maybe_unused]] const Batch& batch,
             [[maybe_unused]] std::int64_t repetition) noexcept {
  if constexpr (Operation::info.rooted) operation.site.root = batch.roots[repetition];
}

/// The closing stamp. Which clocks let time pass before it is settled by the compiler.
template <class Clock>
std::int64_t closing_stamp([[maybe_unused]] const Batch& batch) noexcept {
  if constexpr (requires { Clock::close(batch.wait_ns); }) {
    return Clock::close(batch.wait_ns);
  } else {
    return Clock::now();
  }
}

/// Every repetition stamped on entry and exit. Returns how many were made: fewer than asked where time was up.
template <class Operation, class Clock>
[[gnu::noinline, gnu::flatten]] std::int64_t call_loop(void* erased, const Batch& batch) noexcept {
  Operation& operation = *static_cast<Operation*>(erased);
  for (std::int64_t i = 0; i < batch.repetitions; ++i) {
    prepare(operation, batch, i);
    synchronise_before<Clock>(batch.meeting, i);
    batch.start[i] = Clock::now();
    fence();
    operation.step();
    fence();
    batch.end[i] = closing_stamp<Clock>(batch);
    if (synchronise_after<Clock>(batch.meeting, i)) return i + 1;
  }
  return batch.repetitions;
}

/// All repetitions back to back between two stamps; ranks are brought together before, outside. An operation of several
/// threads has them all make that many.
template <class Operation, class Clock>
[[gnu::noinline, gnu::flatten]] std::int64_t block_loop(void* erased, const Batch& batch) noexcept {
  Operation& operation = *static_cast<Operation*>(erased);
  batch.start[0] = Clock::now();
  if constexpr (requires { operation.steps(batch.repetitions, batch.roots); }) {
    fence();
    operation.steps(batch.repetitions, batch.roots);
  } else {
    for (std::int64_t i = 0; i < batch.repetitions; ++i) {
      prepare(operation, batch, i);
      fence();
      operation.step();
    }
  }
  fence();
  batch.end[0] = closing_stamp<Clock>(batch);
  return batch.repetitions;
}

}  // namespace groma
