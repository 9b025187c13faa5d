// The clocks a stamp can be taken from. `now()` is inlined into the timed loop and returns raw ticks; `to_ns` turns
// the ticks into nanoseconds afterwards, outside the loop.
#pragma once

#include <mpi.h>
#include <sys/time.h>
#include <time.h>

#include <cstdint>
#include <tuple>

namespace groma {

struct Monotonic {
  static constexpr const char* name = "monotonic";
  static std::int64_t now() noexcept {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
  }
};

struct MpiWtime {
  static constexpr const char* name = "mpi";
  static std::int64_t now() noexcept { return static_cast<std::int64_t>(MPI_Wtime() * 1e9); }
};

struct Gettimeofday {
  static constexpr const char* name = "gettimeofday";
  static std::int64_t now() noexcept {
    timeval time;
    gettimeofday(&time, nullptr);
    return (time.tv_sec * std::int64_t{1'000'000} + time.tv_usec) * 1000;
  }
};

/// The cycle counter, read after everything before it has finished and before anything after it starts.
struct Tsc {
  static constexpr const char* name = "tsc";
  static std::int64_t now() noexcept {
#if defined(__x86_64__)
    unsigned processor;
    // As __rdtscp and _mm_lfence do, whose header is half of all lines of a source.
    const auto ticks = static_cast<std::int64_t>(__builtin_ia32_rdtscp(&processor));
    __builtin_ia32_lfence();
    return ticks;
#else
    return 0;
#endif
  }
};

/// The monotonic clock of a point that is slowed on purpose: time passes before the closing stamp.
struct Slowed : Monotonic {
  static std::int64_t close(std::int64_t wait_ns) noexcept {
    const std::int64_t until = now() + wait_ns;
    std::int64_t time = now();
    while (time < until) time = now();
    return time;
  }
};

using Clocks = std::tuple<Monotonic, MpiWtime, Tsc, Gettimeofday>;

}  // namespace groma
