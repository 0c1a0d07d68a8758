#pragma once
// Copies of the kernels that truth is computed with, each compiled for one instruction set alone, where the
// product chooses between them at run time (core/multiversion.h).

#include <cstddef>

namespace kernel_copies {

// Distances and feet of `count` points (xyz, metres); feet are 3 x count.
using ClosestPoints = void (*)(const double* xyz_m, std::size_t count, double* distance_m, double* foot_m);

// One copy of both kernels: of the scene `undulating` and of three ripples.
struct KernelCopy {
  const char* instruction_set;
  bool (*runs_here)();
  ClosestPoints undulating, ripples;
};

extern const KernelCopy kBaseline, kV3, kV4;  // x86-64 as of 2003; with AVX2 and FMA; with AVX-512

}  // namespace kernel_copies
