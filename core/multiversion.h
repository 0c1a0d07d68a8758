#pragma once
// AQBENCH_MULTIVERSION before a function definition compiles it once for each instruction set and picks one
// at run time, so that what is shipped needs no -march=native. The function's loops must be written so that
// the compiler can vectorise them; helpers it calls must be inlined (AQBENCH_INLINE) to be compiled along.

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)  // whose run-time library is not there yet when a version is picked
#define AQBENCH_MULTIVERSION __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define AQBENCH_MULTIVERSION  // other compilers and sanitizer builds: the baseline alone
#endif

#define AQBENCH_INLINE inline __attribute__((always_inline))
