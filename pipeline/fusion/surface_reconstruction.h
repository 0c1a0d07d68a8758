#pragma once
// A triangle mesh through an oriented point cloud.

#include <optional>

#include "pipeline/fusion/surface_options.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Returns a mesh through the cloud, the same for any thread count; nullopt for SurfaceMethod::none. Points
// that are not finite are left out, and for poisson and ball pivoting also points without a normal. Triangles
// face where the normals point; those of a heightfield face up, to -Z. Opens the stage
// surface_reconstruction. Throws Error(usage) as check() does, and Error(method) "surface_reconstruction:
// ..." with the method and the number of points if too few points are left or no triangle comes out.
std::optional<TriangleMesh> reconstruct_surface(const PointCloud& cloud, const SurfaceOptions& options);

}  // namespace aqbench
