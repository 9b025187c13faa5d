// What an x86 processor says of itself.
#pragma once

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace groma {

/// The registers EAX to EDX after the instruction cpuid.
struct Cpuid {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
};

/// The answer for a leaf and its first subleaf; zeros if the processor lacks the leaf, and on other processors.
inline Cpuid cpuid([[maybe_unused]] unsigned leaf) {
  Cpuid answer;
#if defined(__x86_64__)
  __get_cpuid_count(leaf, 0, &answer.a, &answer.b, &answer.c, &answer.d);
#endif
  return answer;
}

}  // namespace groma
