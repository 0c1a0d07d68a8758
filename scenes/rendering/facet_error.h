#pragma once
// Estimates how far the flat faces of a mesh lie from the smooth surface that they may stand for.

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Estimates the distance of a mesh's faces from a smooth surface through their corners: of each face the
// square of its circumscribed circle's radius times half the curvature that the angles with its neighbours
// mean; the 95th percentile by area, metres. Angles of more than 30 degrees count as true edges. 0 for a
// plane.
double facet_error_m(const TriangleMesh& mesh);

}  // namespace aqbench
