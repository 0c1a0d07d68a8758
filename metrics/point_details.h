#pragma once
// Details of points beside the metrics that are gated: differences in height, errors in the images, the
// corners of a board, and how precisely cameras can place a point.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scenes/cloud/cloud_blocks.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/optics/camera.h"
#include "scenes/optics/refractive_camera.h"
#include "scenes/surfaces/surface.h"

namespace aqbench {

// Vertical distances z_true(x, y) - z of the scored points, as a height map has them: positive towards the
// cameras. On a slope they are larger than the distances along the normal that accuracy_* is of.
struct HeightDifference {
  std::size_t points = 0;
  double mean_m = 0, mean_abs_m = 0, rmse_m = 0, max_abs_m = 0;
};

// Measures the points that count of a cloud; nullopt where there is none, or where the truth is no height
// field.
std::optional<HeightDifference> measure_height_difference(const EachBlock& each_block, const Surface& truth);

// Distances in the images between a scored point and the closest point of the true surface, both projected
// through the water: what the errors of the cloud look like in pixels. One for each pair of a point and a
// camera that is not auxiliary and has both in its undistorted image.
struct ReprojectionError {
  std::size_t projections = 0;
  double mean_px = 0, median_px = 0, rmse_px = 0;
};

// Measures points_m[index[i]]; nullopt where no camera has one in its image.
std::optional<ReprojectionError> measure_reprojection(std::span<const Vec3> points_m,
                                                      std::span<const std::uint32_t> index,
                                                      const Surface& truth, const Rig& rig);

// Errors of the corners of a board.
struct CornerErrors {
  std::vector<double> distance_m;  // of each corner, in the order given
  // Of distance_m; nullopt when there is no corner.
  std::optional<double> mean_m, median_m, max_m, rmse_m;
};

// Compares corner i with true corner i. Throws Error(input) for unequal counts and for a corner that is not
// finite.
CornerErrors charuco_errors(std::span<const Vec3> corners_m, std::span<const Vec3> true_corners_m);

// Returns the Cramer-Rao bound: the standard deviation of the point's z, metres, that no unbiased
// triangulation through the water can beat with independent Gaussian noise of 1 px on u and v in every camera
// (it is proportional to the noise). Only cameras in whose image the point lies count. nullopt if they are
// fewer than two, or their rays are parallel.
std::optional<double> depth_bound_m(std::span<const RefractiveCamera> cameras, const Vec3& point_m);

}  // namespace aqbench
