// The time of day, for records: no clock that anything is measured with.
#pragma once

#include <time.h>

#include <cstdint>

namespace groma {

/// Nanoseconds since 1970.
inline std::int64_t unix_now_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

}  // namespace groma
