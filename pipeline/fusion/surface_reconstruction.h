#pragma once
// A triangle mesh through an oriented point cloud.

#include <optional>

#include "pipeline/fusion/surface_options.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Returns a mesh through the cloud, the same for any thread count; nullopt for SurfaceMethod::none. Ignores
// points that are not finite and, for poisson and ball pivoting, points without a normal. Triangles face
// along the normals; those of a heightfield face up, to -Z. Opens the stage surface_reconstruction. Throws
// Error(usage) like check(), and Error(method) "surface_reconstruction: ..." with the method and the number
// of points if too few points remain or no triangle results.
std::optional<TriangleMesh> reconstruct_surface(const PointCloud& cloud, const SurfaceOptions& options);

}  // namespace aqbench
