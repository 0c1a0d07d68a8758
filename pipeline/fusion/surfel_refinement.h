#pragma once
// Moves surfels along the local normal onto a smooth surface through their neighbours: moving least squares
// with a quadratic surface in the frame of the local plane, and weights (1 - (r / radius)^2)^2 times Tukey's
// biweight of the residuals. Levin, "Mesh-independent surface interpolation", 2004.

#include "pipeline/fusion/surfels.h"

namespace aqbench {

// Moves `moved` onto the surface through `all` (often the same surfels; both must have the same voxel size).
// A surfel with fewer than six neighbours stays, and so does one that would move further than the radius.
// Only positions change, which invalidates the keys: call regroup() afterwards. Uses parallel_for; the result
// is the same for any thread count.
void refine_surfels(const Surfels& all, double radius_m, Surfels& moved);

}  // namespace aqbench
