#pragma once
// Selects the points of a cloud that are scored, and measures how far they are from the true surface.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scenes/cloud/reconstruction.h"
#include "scenes/surfaces/surface.h"

namespace aqbench {

// The scored points: those whose (x, y) lies inside the patch, at any height, because a point behind the
// surface or far above it is an error. Without a patch every finite point is scored.
struct ScoredPoints {
  std::vector<std::uint32_t> index;  // of a scored point in the cloud, ascending
  std::vector<double>
      signed_error_m;  // to the surface going on beyond the patch; positive towards the cameras
  std::size_t outside_patch = 0;
  std::size_t non_finite = 0;
};

// Selects and measures. Uses parallel_for. Throws Error(method) beyond 2^32 - 1 points, or if the surface has
// no distance for a point.
ScoredPoints score_points(std::span<const Vec3> points_m, const Surface& truth);

// Summary of signed distances d to the surface, metres, as records hold it.
struct ErrorSummary {
  double mean_m, median_m, rmse_m, p90_m, p95_m, max_m;  // of |d|
  double bias_mean_m, bias_median_m, nmad_m;             // of d
};

// Summarizes signed errors; there must be at least one.
ErrorSummary summarize_errors(std::span<const double> signed_error_m);

// Returns the percentage of values with |value| <= limit. There must be at least one value.
double share_within_pct(std::span<const double> values, double limit);

// Returns the percentage of values with |value| > limit. There must be at least one value.
double share_beyond_pct(std::span<const double> values, double limit);

// Returns for each scored point the angle in degrees, 0 to 180, between the cloud's normal and the true
// normal at the closest point. A normal that is not finite or of zero length counts as 180. normals.size() ==
// points_m.size().
std::vector<double> normal_errors_deg(std::span<const Vec3> points_m, std::span<const Vec3> normals,
                                      const ScoredPoints& scored, const Surface& truth);

}  // namespace aqbench
