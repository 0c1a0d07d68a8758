#pragma once
// Estimates the distance of a mesh's flat faces from the smooth surface they may approximate.

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Estimates the distance of a mesh's faces from a smooth surface through their corners: per face the square
// of its circumscribed circle's radius times half the curvature implied by the angles with its neighbours;
// the 95th percentile by area, metres. Angles above 30 degrees count as true edges. 0 for a plane.
double facet_error_m(const TriangleMesh& mesh);

}  // namespace aqbench
