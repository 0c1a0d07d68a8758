#pragma once
// Rigid alignment of a cloud to the true surface. It is off by default: it can hide a bias, so whoever uses
// it must print the transform.

#include <Eigen/Core>
#include <cstddef>
#include <span>

#include "scenes/surfaces/surface.h"

namespace aqbench {

// When the alignment stops, and how many points it uses.
struct AlignOptions {
  int max_iterations = 50;
  double converged_m = 1e-9;       // stop when an iteration moves no point of the cloud by more
  std::size_t max_points = 50000;  // evenly taken from the cloud
};

// Throws Error(usage) naming the field.
void check(const AlignOptions& options);

// The transform from the cloud as given (a) to the aligned cloud (b), x_in_b = R x_in_a + t, metres.
struct Alignment {
  Eigen::Matrix4d b_from_a = Eigen::Matrix4d::Identity();
  int iterations = 0;
  bool converged = false;
  // How many of the six motions the surface resists (3 on a plane); the cloud is not moved along the others.
  int constrained = 0;
  // Root mean square distance to the surface of the points used, outliers included.
  double rms_before_m = 0, rms_after_m = 0;
};

// Aligns by point-to-plane ICP (Chen and Medioni, "Object modelling by registration of multiple range
// images", IVC 1992) against the surface itself: Gauss-Newton on the signed distances at the exact closest
// points, with Tukey weights at 4.685 robust standard deviations. Points that are not finite are left out.
// Throws Error(method) for fewer than 6 finite points.
Alignment align_icp(const PointCloud& cloud, const Surface& truth, const AlignOptions& options = {});

}  // namespace aqbench
