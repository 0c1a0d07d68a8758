#pragma once
// The error in space that an estimated calibration causes: where its rays meet that come from what the true
// cameras see.

#include <Eigen/Geometry>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "scenes/cloud/transform.h"
#include "scenes/optics/camera.h"

namespace aqbench {

// Errors of points.
struct PointErrors {
  double rms_m = 0, mean_m = 0, median_m = 0, p95_m = 0, max_m = 0;
  Vec3 mean_error_m = Vec3::Zero();  // found less true, world frame
};

// The score of a calibration in a box of the true world.
struct CalibrationScore {
  std::size_t grid = 0, scored = 0;   // points of the grid, and those that two cameras see and place
  std::vector<std::string> left_out;  // cameras that one of the calibrations does not have
  double reprojection_rms_px = 0;     // of the true points, each camera in its own world
  PointErrors as_it_is;               // in the estimated world as the true one
  Similarity true_from_estimated;     // the best similarity of the points
  PointErrors aligned;                // after it
};

// Scores an estimated calibration over a grid of 11 x 11 x 11 points of the box: each true camera images a
// point through its lens, water and port; the estimated cameras of the same names cast the rays of these
// pixels, and the point nearest to the rays is compared with the true one. Throws Error(input) where no two
// cameras have the same names, no two see a point, or the points do not determine a similarity.
CalibrationScore score_calibration(const Rig& estimated, const Rig& truth, const Eigen::AlignedBox3d& box);

}  // namespace aqbench
