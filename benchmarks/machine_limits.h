#pragma once
// What a machine can do at most, measured: multiply-adds in registers, and doubles from and to memory.

namespace aqbench {

// Returns the fused multiply-adds of single-precision vectors that the threads of parallel_for() do in a
// second, times 2: the better of two vector widths, best of several runs. A second is one of each thread's
// processor time, since other work on a shared machine slows that less.
double peak_flops();

// Returns the bytes that these threads move in such a second in a[i] = b[i] + s c[i] over arrays of 512 MiB
// (McCalpin's STREAM triad: two arrays read, one written, 24 bytes an element).
double triad_bytes_per_s();

}  // namespace aqbench
