#pragma once
// Moves surfels along the local normal onto a smooth surface through their neighbours: moving least squares,
// a quadratic surface in the frame of the local plane, weights (1 - (r / radius)^2)^2 times Tukey's biweight
// of the residuals. Levin, "Mesh-independent surface interpolation", 2004.

#include "pipeline/fusion/surfels.h"

namespace aqbench {

// `moved` moves onto the surface through `all` (often the same surfels; their voxels have one size). Those
// with fewer than six neighbours, or that would go further than the radius, stay. Positions alone change:
// keys are then out of date (regroup()). Uses parallel_for; the same for any thread count.
void refine_surfels(const Surfels& all, double radius_m, Surfels& moved);

}  // namespace aqbench
