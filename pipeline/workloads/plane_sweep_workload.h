#pragma once
// Verifies a plane sweep's kernel pixel by pixel against the reference kernel.

#include <cstddef>

#include "pipeline/plane_sweep/kernels/plane_sweep.h"

namespace aqbench {

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
