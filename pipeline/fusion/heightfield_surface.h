#pragma once
// A surface as heights over a grid, for scenes seen from above.

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Vertices at multiples of grid_m in x and y, at the height of a robust quadratic fit to the points within
// two grid steps (three spacings of the points where they are sparse). A vertex needs points in three of the
// four quadrants around it: nothing is made up beyond an edge. Triangles face up, to -Z. Points that are not
// finite are left out. An empty mesh where no vertex has enough points. Throws Error(method) for more than
// 2^26 vertices. Uses parallel_for; the same for any thread count.
TriangleMesh heightfield_surface(const PointCloud& cloud, double grid_m);

}  // namespace aqbench
