#pragma once
// What this machine could do at most: the roof that a kernel's speed is a share of.

#include <string>
#include <utility>
#include <vector>

namespace aqbench {

// The fastest that this machine computes and moves data.
struct Roofline {
  double flops_per_s = 0;  // fused multiply-adds, counted as two, single precision
  double bytes_per_s = 0;  // triad (McCalpin, STREAM): two streams read, one written
};

// Measures the roofline for about 0.1 s on that many threads. Returns the best of several short runs, since
// other programs can only slow them down.
Roofline measure_roofline(int threads);

// Numbers that stand beside a time: "gflop" and "gb", the work; "peak_gflops" (of its precision) and
// "peak_gb_per_s", the roof; and what follows from the time, "gflops" and "roofline_share".
using Figures = std::vector<std::pair<std::string, double>>;

// Adds the work and the roof to `figures`.
void add_roofline(const Roofline& roofline, double flops, double bytes, bool single_precision,
                  Figures& figures);

// Replaces the roof by that of `other` where it is higher: one process may have been disturbed while it
// measured the machine's roof, another not.
void take_higher_roof(Figures& figures, const Figures& other);

// Works out gflops and roofline_share; does nothing where add_roofline() was not called.
void fill_roofline_share(double time_ms, Figures& figures);

}  // namespace aqbench
