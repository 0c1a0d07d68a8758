#pragma once
// The peak performance of this machine, as the reference of a kernel's speed.

#include <string>
#include <utility>
#include <vector>

namespace aqbench {

// The peak rates of computation and memory traffic.
struct Roofline {
  double flops_per_s = 0;  // fused multiply-adds, counted as two, single precision
  double bytes_per_s = 0;  // triad (McCalpin, STREAM): two streams read, one written
};

// Measures the roofline for about 0.1 s on that many threads. Returns the best of several short runs, since
// other programs only slow them down.
Roofline measure_roofline(int threads);

// Figures beside a time: "gflop" and "gb", the work; "peak_gflops" (of its precision) and "peak_gb_per_s",
// the roof; and, from the time, "gflops" and "roofline_share".
using Figures = std::vector<std::pair<std::string, double>>;

// Adds the figures of work that took that time.
void add_roofline(const Roofline& roofline, double flops, double bytes, bool single_precision, double time_ms,
                  Figures& figures);

}  // namespace aqbench
