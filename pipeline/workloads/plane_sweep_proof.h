#pragma once
// Verifies a plane sweep's kernel pixel by pixel against the reference kernel.

#include <cstddef>

#include "pipeline/plane_sweep/kernels/input.h"
#include "pipeline/plane_sweep/kernels/options.h"

namespace aqbench {

// A depth differs from the reference kernel's if it is off by more than this share of the hypothesis spacing.
inline constexpr float kUnlikeDepth_steps = 0.02F;
// A confidence differs from the reference kernel's if it is off by more than this.
inline constexpr float kUnlikeConfidence = 0.01F;

// The number of pixels that differ from the reference kernel's.
struct PixelProof {
  std::size_t compared = 0;
  std::size_t unlike = 0;  // depth or confidence differ, or only one of both has a depth

  // Returns unlike / compared; NaN if nothing was compared.
  double unlike_share() const;
};

// Compares the result with the reference kernel's. For images that take this slow kernel long, compares
// squares of 12 x 12 px, 64 px apart in both directions, so that every block of 76 px contains one; each is
// swept separately with the window's margin. Throws like plane_sweep::run().
PixelProof compare_with_reference(const plane_sweep::Input& input, const plane_sweep::Options& options,
                                  const plane_sweep::Result& result);

}  // namespace aqbench
