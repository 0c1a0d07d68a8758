#pragma once
// A surface as heights over a grid, for scenes seen from above.

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Makes a mesh with vertices at multiples of grid_m in x and y, at the height of a robust quadratic fit to
// the points within two grid steps (three point spacings where they are sparse). A vertex needs points in
// three of its four quadrants, so the mesh ends where the points end. Triangles face up, to -Z. Ignores
// points that are not finite. The mesh is empty if no vertex has enough points. Uses parallel_for; the result
// is the same for any thread count. Throws Error(method) for more than 2^26 vertices.
TriangleMesh heightfield_surface(const PointCloud& cloud, double grid_m);

}  // namespace aqbench
