#pragma once
// AQBENCH_MULTIVERSION before a function definition compiles it once per instruction set and selects one at
// run time, so releases need no -march=native. Loops must be vectorisable; helpers must be inlined
// (AQBENCH_INLINE) to be compiled along.

#include <cstdint>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)  // its run-time library is not initialised when the version is selected
#define AQBENCH_MULTIVERSION __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define AQBENCH_MULTIVERSION  // other compilers and sanitizer builds: baseline only
#endif

#define AQBENCH_INLINE inline __attribute__((always_inline))

// Eight numbers in registers, for minima and masks in AQBENCH_MULTIVERSION functions: compilers put loops
// over arrays through memory. A GCC and clang vector type; machines with shorter registers process it in
// parts.
namespace aqbench {

using Eight = double __attribute__((vector_size(64), aligned(8), may_alias));
using EightMasks = long long __attribute__((vector_size(64)));  // result of comparing two Eight

// Loads eight numbers starting at `first`.
AQBENCH_INLINE Eight eight_at(const double* first) { return *reinterpret_cast<const Eight*>(first); }

// Returns the element-wise minimum.
AQBENCH_INLINE Eight smaller_of_eight(Eight a, Eight b) { return a < b ? a : b; }

// Returns the smallest of eight numbers.
AQBENCH_INLINE double smallest(Eight values) {
  values = smaller_of_eight(values, __builtin_shufflevector(values, values, 4, 5, 6, 7, 0, 1, 2, 3));
  values = smaller_of_eight(values, __builtin_shufflevector(values, values, 2, 3, 0, 1, 2, 3, 0, 1));
  return values[0] < values[1] ? values[0] : values[1];
}

// Returns the sum of eight whole numbers.
AQBENCH_INLINE long long sum_of(EightMasks values) {
  values += __builtin_shufflevector(values, values, 4, 5, 6, 7, 0, 1, 2, 3);
  values += __builtin_shufflevector(values, values, 2, 3, 0, 1, 2, 3, 0, 1);
  return values[0] + values[1];
}

// Returns a mask: bit i is set where `low` is true at i, bit 8 + i where `high` is.
AQBENCH_INLINE std::uint32_t bits_of(EightMasks low, EightMasks high = EightMasks{}) {
  EightMasks bits = (low & EightMasks{1, 2, 4, 8, 16, 32, 64, 128}) |
                    (high & EightMasks{256, 512, 1024, 2048, 4096, 8192, 16384, 32768});
  bits |= __builtin_shufflevector(bits, bits, 4, 5, 6, 7, 0, 1, 2, 3);
  bits |= __builtin_shufflevector(bits, bits, 2, 3, 0, 1, 2, 3, 0, 1);
  return static_cast<std::uint32_t>(bits[0] | bits[1]);
}

}  // namespace aqbench
