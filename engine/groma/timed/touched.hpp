// An operation whose messages are touched between the stamps: written before they are sent, read after they arrived.
// Its loops are its own, so that those of the operation itself know nothing of it.
#pragma once

#include <cstdint>
#include <vector>

#include "groma/clock/clocks.hpp"
#include "groma/timed/loop.hpp"
#include "groma/touch.hpp"

namespace groma {

/// What touching takes in each of some repetitions, in ns; each time holds one reading of the clock.
struct TouchTimes {
  std::vector<std::int64_t> write_ns;
  std::vector<std::int64_t> read_ns;
};

/// Where the ranks of a pair take turns, the operation has `send` and `receive` and each rank touches between them. All
/// others send first.
template <class Operation>
struct Touched : Operation {
  Touch lines;

  /// One repetition, with each touching done by `watch`.
  template <class Watch>
  void step_watched(Watch watch) noexcept {
    const auto write = [this] { change_lines(lines.written); };
    const auto read = [this] { read_lines(lines.read); };
    if constexpr (requires(Operation one) { one.send(), one.receive(); }) {
      if (!this->site.first) {
        Operation::receive();
        watch(read, &TouchTimes::read_ns);
        watch(write, &TouchTimes::write_ns);
        Operation::send();
        return;
      }
    }
    watch(write, &TouchTimes::write_ns);
    Operation::step();
    watch(read, &TouchTimes::read_ns);
  }
  void step() noexcept {
    step_watched([](auto touch, auto) { touch(); });
  }
};

template <class Operation>
inline constexpr bool is_touched = false;
template <class Operation>
inline constexpr bool is_touched<Touched<Operation>> = true;

template <class Operation>
void touch_lines(void* erased, const Touch& lines) {
  static_cast<Operation*>(erased)->lines = lines;
}

/// As many repetitions as there is room for in `times`, with a stamp before and after each touching.
template <class Operation>
void time_touches(void* erased, TouchTimes& times) {
  Operation& operation = *static_cast<Operation*>(erased);
  for (std::size_t i = 0; i < times.write_ns.size(); ++i) {
    operation.step_watched([&](auto touch, auto member) {
      const std::int64_t begin = Monotonic::now();
      fence();
      touch();
      fence();
      (times.*member)[i] = Monotonic::now() - begin;
    });
  }
}

}  // namespace groma
