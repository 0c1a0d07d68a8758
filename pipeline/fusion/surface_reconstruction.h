#pragma once
// A triangle mesh through an oriented point cloud.

#include <cstdint>
#include <optional>
#include <vector>

#include "pipeline/fusion/fusion_spec.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

struct SurfaceOptions {
  SurfaceMethod method = SurfaceMethod::poisson;
  int poisson_depth = 9;                    // of the octree
  double poisson_density_quantile = 0.01;   // vertices in this share of lowest density are dropped
  double grid_m = 0.002;                    // heightfield
  std::vector<double> ball_radii{1, 2, 4};  // ball pivoting, in mean spacings of the points
  std::int64_t target_triangles = 0;        // of the decimation by quadric errors; 0: none
};

// Throws Error(usage) "field: what is wrong".
void check(const SurfaceOptions& options);

// nullopt for `none`. Points that are not finite, and for poisson and ball pivoting those without a normal,
// are left out. Triangles face where the normals do; a heightfield's face up, to -Z. The same for any thread
// count. Opens the stage surface_reconstruction. Throws Error(method) "surface_reconstruction: ..." where too
// few points are left or no triangle comes out, saying which of them and how many.
std::optional<TriangleMesh> reconstruct_surface(const PointCloud& cloud, const SurfaceOptions& options);

}  // namespace aqbench
