#pragma once
// Joins the depth maps of several cameras to one cloud.
//
// 1. The points of all cameras are gathered in voxels: a voxel's point is their mean, weighted by confidence.
// 2. Depth noise spreads a surface over several layers of voxels. A mean within a voxel cannot undo that,
// because it has only the points of its own layer. So each voxel's point moves along the local normal to a
// quadratic surface, fitted robustly (Tukey's weights) to all points within `refine_radius_m`. A fit with
// slope and curvature has no bias at the edges of a surface or on a bend, unlike a local mean.
// 3. The points that are then in one voxel become one point. Steps 2 and 3 are done twice.
// 4. Normals are computed from the neighbours and turned towards the cameras; points far from all others are
// removed.

#include <cstddef>
#include <span>

#include "pipeline/fusion/camera_points.h"
#include "pipeline/fusion/fusion_options.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// The number of points after each step.
struct FusionCounts {
  std::size_t input = 0;     // usable points
  std::size_t voxels = 0;    // occupied before the fit
  std::size_t fused = 0;     // after it
  std::size_t outliers = 0;  // removed of these
};

// Fuses the points of all cameras. Ignores points that are not finite or whose confidence is not positive.
// The result is in voxel order. Its confidence is the self-weighted mean of the points' confidences; a normal
// is NaN if fewer than three or only collinear neighbours define it. An empty input gives an empty cloud.
// Radii grow with the spacing of points sparser than voxels. Uses parallel_for; the result is the same for
// any thread count. Opens no stage: the caller opens "fusion". Throws Error(input) for lengths that differ,
// Error(method) if the points span more than 2^21 voxels.
PointCloud fuse(std::span<const CameraPoints> cameras, const FusionOptions& options,
                FusionCounts* counts = nullptr);

}  // namespace aqbench
