#define COPY_NAMESPACE aqbench_v4
#define COPY_ATTRIBUTE __attribute__((target("arch=x86-64-v4")))
#define COPY_OBJECT kV4
#define COPY_NAME "x86-64-v4"
#define COPY_RUNS_HERE __builtin_cpu_supports("x86-64-v4")
#include "tests/scenes/surfaces/kernel_copies/kernel_copy.inc"
