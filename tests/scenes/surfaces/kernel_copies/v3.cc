#define COPY_NAMESPACE aqbench_v3
#define COPY_ATTRIBUTE __attribute__((target("arch=x86-64-v3")))
#define COPY_OBJECT kV3
#define COPY_NAME "x86-64-v3"
#define COPY_RUNS_HERE __builtin_cpu_supports("x86-64-v3")
#include "tests/scenes/surfaces/kernel_copies/kernel_copy.inc"
