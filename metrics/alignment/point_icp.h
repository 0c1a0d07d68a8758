#pragma once
// Alignment of one cloud to another, point to point and with a scale, as Open3D's registration_icp does it.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "scenes/cloud/transform.h"

namespace aqbench {

// Which points have partners, and when the alignment ends: after max_iterations, or when an iteration changes
// both the fitness and the inlier rmse by less than these.
struct PointIcpOptions {
  double within_m = 0.01;  // the partner of a point is its nearest if that is nearer than this
  int max_iterations = 30;
  double fitness_change = 1e-6;
  double rmse_change_m = 1e-6;
  double most_scaling = 2;  // a scale beyond this, or below its inverse, has run away
};

// How well points fit: Open3D's numbers.
struct PointFit {
  double fitness = 0;        // share of the points that have a partner
  double inlier_rmse_m = 0;  // root mean square distance to it
};

// What an alignment found.
struct PointIcp {
  Similarity to_from;
  int iterations = 0;
  std::size_t pairs = 0;  // at the end
  PointFit before, after;
};

// Aligns by iterated closest points (Besl and McKay, TPAMI 1992): pairs each point of from_m with the nearest
// of to_m, of those equally near with the first, and moves by fit_similarity() of all pairs. All points must
// be measurable. The result depends on the order of the points, but not on the number of threads. Uses
// parallel_for. Throws Error(input) "WHAT: ..." where a cloud is empty, no point has a partner, the pairs do
// not determine a similarity, or the scale runs away.
PointIcp align_points(std::vector<Vec3> from_m, std::span<const Vec3> to_m, const PointIcpOptions& options,
                      const std::string& what);

}  // namespace aqbench
