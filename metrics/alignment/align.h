#pragma once
// Alignment of a cloud to the true surface, rigid or with a scale. It is off by default: it can hide a bias,
// so whoever uses it must print the transform. And a choice of points for alignments.

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "scenes/surfaces/surface.h"

namespace aqbench {

// How many points the alignment uses, and what it estimates.
struct AlignOptions {
  std::size_t max_points = 50000;  // drawn from the cloud by their coordinates alone
  bool scale = false;              // also the scale is estimated, and the data must determine all 7 motions
};

// The transform from the cloud as given (a) to the aligned cloud (b), x_in_b = s R x_in_a + t, metres.
struct Alignment {
  Eigen::Matrix4d b_from_a = Eigen::Matrix4d::Identity();
  int iterations = 0;
  bool converged = false;
  // How many of the six motions (seven with the scale) the surface resists (3 on a plane); the cloud is not
  // moved along the others.
  int constrained = 0;
  // Root mean square distance to the surface of the points used, outliers included.
  double rms_before_m = 0, rms_after_m = 0;
};

// Aligns by point-to-plane ICP (Chen and Medioni, "Object modelling by registration of multiple range
// images", IVC 1992) against the surface itself: Gauss-Newton on the signed distances at the exact closest
// points, with Tukey weights at 4.685 robust standard deviations; a step that would bring the cloud farther
// away is halved. Points that are not finite are left out. With a scale distances count in the unit of the
// cloud as given, so that neither noise nor a bad start makes it shrink; the cloud is first tried as it is
// and with its centre, extent and principal axes brought to those of the surface, and the alignment goes on
// from the best of these. It ends after 50 iterations, or when one moves no point by more than 1e-9 m. The
// result does not depend on the order of the points. Throws Error(input) for fewer than 6 finite points,
// where the cloud ends farther from the truth than it began, and with a scale where the surface resists fewer
// than all seven motions, as a plane does, or a sphere also of facets: a motion by a twentieth of the extent
// must change the distances.
Alignment align_icp(const PointCloud& cloud, const Surface& truth, const AlignOptions& options = {});

// Returns at most so many of the points that can be measured, all where there are no more, in an order and by
// a choice that look random and that their coordinates alone decide.
std::vector<Vec3> draw_points(std::span<const Vec3> points_m, std::size_t at_most);

}  // namespace aqbench
