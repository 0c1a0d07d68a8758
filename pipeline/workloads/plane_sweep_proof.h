#pragma once
// Proves a plane sweep's kernel: compares its depths pixel by pixel with those of the reference kernel.

#include <cstddef>

#include "pipeline/plane_sweep/kernels/input.h"
#include "pipeline/plane_sweep/kernels/options.h"

namespace aqbench {

// A depth counts as unlike that of the reference kernel if it differs from it by more than this share of the
// distance between hypotheses.
inline constexpr float kUnlikeDepth_steps = 0.02F;
// A confidence counts as unlike that of the reference kernel if it differs from it by more than this.
inline constexpr float kUnlikeConfidence = 0.01F;

// How many pixels are unlike the reference kernel's.
struct PixelProof {
  std::size_t compared = 0;
  std::size_t unlike = 0;  // depth or confidence differ, or only one of both has a depth

  // Returns unlike / compared; NaN where nothing was compared.
  double unlike_share() const;
};

// Compares the result with the reference kernel's. Of images for which that slow kernel would take long,
// squares of 12 x 12 px are compared, 64 px apart in both directions, so that every block of 76 px contains
// one; each is swept alone, with the window's margin around it. Throws as plane_sweep::run().
PixelProof compare_with_reference(const plane_sweep::Input& input, const plane_sweep::Options& options,
                                  const plane_sweep::Result& result);

}  // namespace aqbench
