#pragma once
// What this machine could do at most: the roof that a kernel's speed is a share of.

namespace aqbench {

struct Roofline {
  double flops_per_s = 0;  // fused multiply-adds, counted as two, single precision
  double bytes_per_s = 0;  // triad: two streams read, one written
};

// Measures for about 0.1 s on that many threads; the best of several short runs, as others only ever slow it.
Roofline measure_roofline(int threads);

// The least time that work needs on that machine: arithmetic or memory, whichever is slower. Double precision
// has half as many lanes.
double least_time_s(const Roofline& roofline, double flops, double bytes, bool single_precision);

}  // namespace aqbench
