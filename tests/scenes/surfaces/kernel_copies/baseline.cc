#define COPY_NAMESPACE aqbench_baseline
#define COPY_ATTRIBUTE
#define COPY_OBJECT kBaseline
#define COPY_NAME "x86-64"
#define COPY_RUNS_HERE true
#include "tests/scenes/surfaces/kernel_copies/kernel_copy.inc"
