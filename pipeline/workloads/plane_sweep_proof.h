#pragma once
// Proof of a plane sweep's kernel: its depths pixel by pixel against those of the reference kernel.

#include <cstddef>

#include "pipeline/plane_sweep/kernels/input.h"
#include "pipeline/plane_sweep/kernels/options.h"

namespace aqbench {

// A depth is unlike the reference's that is further from it than this share of the distance between
// hypotheses.
inline constexpr float kUnlikeDepth_steps = 0.02F;
// A confidence is unlike the reference's that is further from it.
inline constexpr float kUnlikeConfidence = 0.01F;

// How many pixels are unlike the reference kernel's.
struct PixelProof {
  std::size_t compared = 0;
  std::size_t unlike = 0;  // depth or confidence differ, or only one of both has a depth

  // Returns unlike / compared; NaN where nothing was compared.
  double unlike_share() const;
};

// Compares the result with the reference kernel's. Of images that would keep that slow kernel busy for long,
// patches of 12 x 12 px are compared, 64 px apart in both directions: each is swept alone, with the window's
// margin around it, so that no block of 76 px is left out. Throws as plane_sweep::run().
PixelProof compare_with_reference(const plane_sweep::Input& input, const plane_sweep::Options& options,
                                  const plane_sweep::Result& result);

}  // namespace aqbench
