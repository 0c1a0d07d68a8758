#pragma once
// What this machine could do at most: the roof that a kernel's speed is a share of.

#include <string>
#include <utility>
#include <vector>

namespace aqbench {

struct Roofline {
  double flops_per_s = 0;  // fused multiply-adds, counted as two, single precision
  double bytes_per_s = 0;  // triad: two streams read, one written
};

// Measures for about 0.1 s on that many threads; the best of several short runs, as others only ever slow it.
Roofline measure_roofline(int threads);

// Beside a time stand: "gflop" and "gb", the work; "peak_gflops" (of its precision) and "peak_gb_per_s", the
// roof; and what follows from the time, "gflops" and "roofline_share".
using Figures = std::vector<std::pair<std::string, double>>;
void add_roofline(const Roofline& roofline, double flops, double bytes, bool single_precision,
                  Figures& figures);
// The roof is the machine's, not the process's: what one process was kept from, another may have reached.
void take_higher_roof(Figures& figures, const Figures& other);
// Works out gflops and roofline_share; nothing where add_roofline was not called.
void fill_roofline_share(double time_ms, Figures& figures);

}  // namespace aqbench
