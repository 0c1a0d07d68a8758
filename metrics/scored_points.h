#pragma once
// Which points of a cloud are scored, and how far they are from the true surface.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scenes/cloud/reconstruction.h"
#include "scenes/surfaces/surface.h"

namespace aqbench {

// A point is scored if its (x, y) lies inside the patch, at any height: a point behind the surface or far
// above it is an error, not an unobserved one. Without a patch every finite point is scored.
struct ScoredPoints {
  std::vector<std::uint32_t> index;  // of a scored point in the cloud, ascending
  std::vector<double>
      signed_error_m;  // to the surface going on beyond the patch; positive towards the cameras
  std::size_t outside_patch = 0;
  std::size_t non_finite = 0;
};

// Runs in parallel. Throws Error(method) beyond 2^32 - 1 points, or if the surface has no distance for one.
ScoredPoints score_points(std::span<const Vec3> points_m, const Surface& truth);

// Distances of points to the surface, in the summary that records carry; metres.
struct ErrorSummary {
  double mean_m, median_m, rmse_m, p90_m, p95_m, max_m;  // of |d|
  double bias_mean_m, bias_median_m, nmad_m;             // of d
};

// signed_error_m must not be empty.
ErrorSummary summarize_errors(std::span<const double> signed_error_m);

// Share in percent of |value| <= limit, and of |value| > limit. values must not be empty.
double share_within_pct(std::span<const double> values, double limit);
double share_beyond_pct(std::span<const double> values, double limit);

// Angles in degrees, 0 to 180, between the cloud's normals and the true normals at the closest points, for
// the scored points; normals that are not finite or of zero length count as 180. normals.size() ==
// points_m.size().
std::vector<double> normal_errors_deg(std::span<const Vec3> points_m, std::span<const Vec3> normals,
                                      const ScoredPoints& scored, const Surface& truth);

}  // namespace aqbench
