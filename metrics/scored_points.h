#pragma once
// Selects the points of a cloud that are scored, and measures how far they are from the true surface.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scenes/cloud/crop.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/surfaces/surface.h"

namespace aqbench {

// Which part of a cloud is scored, beside what the patch of the truth says: for truths that are partial.
struct ScoredPart {
  Crop crop;                             // points outside of it are left out
  std::optional<double> max_distance_m;  // points that are farther from the truth are left out
  bool leave_out_beyond_border = false;  // points whose closest true point lies on an open border

  // Returns whether anything beside the patch decides which points are scored.
  bool is_partial() const { return !crop.parts.empty() || max_distance_m || leave_out_beyond_border; }
};

// How many points are scored, and how many are not. A point is counted once, by the first reason in this
// order.
struct ScoredCounts {
  std::size_t scored = 0;
  std::size_t non_finite = 0;
  std::size_t outside_patch = 0;
  std::size_t outside_crop = 0;
  std::size_t beyond_border = 0;  // also where those are scored all the same
  std::size_t beyond_max_distance = 0;
  bool scored_beyond_border = true;

  // Adds the counts of other points.
  void add(const ScoredCounts& other) {
    scored += other.scored;
    non_finite += other.non_finite;
    outside_patch += other.outside_patch;
    outside_crop += other.outside_crop;
    beyond_border += other.beyond_border;
    beyond_max_distance += other.beyond_max_distance;
  }
  // Returns how many points have coordinates and lie in the patch but are not scored.
  std::size_t left_out() const {
    return outside_crop + beyond_max_distance + (scored_beyond_border ? 0 : beyond_border);
  }
};

// Returns why none of the points that have coordinates is scored: "none of its 12 points is scored: 10 lie
// outside the crop, ..."; "" where one is, and where there is none.
std::string why_nothing_is_scored(const ScoredCounts& counts);

// The scored points: those whose (x, y) lies inside the patch, at any height, because a point behind the
// surface or far above it is an error. Without a patch every finite point is scored, or the asked part of
// them.
struct ScoredPoints {
  std::vector<std::uint32_t> index;  // of a scored point in the cloud, ascending
  // Distances to the surface, which goes on beyond the patch; positive towards the cameras.
  std::vector<double> signed_error_m;
  ScoredCounts counts;
};

// Selects the points that are scored and measures their errors. Uses parallel_for. Throws Error(method)
// beyond 2^32 - 1 points, or if the surface has no distance for a point.
ScoredPoints score_points(std::span<const Vec3> points_m, const Surface& truth, const ScoredPart& part = {});

// Summary of signed distances d to the surface, metres, as records hold it.
struct ErrorSummary {
  double mean_m, median_m, rmse_m, p90_m, p95_m, max_m;  // of |d|
  double bias_mean_m, bias_median_m, nmad_m;             // of d
};

// Summarizes signed errors; there must be at least one.
ErrorSummary summarize_errors(std::span<const double> signed_error_m);

// Returns the largest distance that counts as within a tolerance: 1e-9 of it more, since a distance that
// equals the tolerance in decimals, as of clouds in steps of it, is above or below it by the rounding of
// coordinates.
inline double within_m(double tolerance_m) { return tolerance_m * (1 + 1e-9); }

// Returns the percentage of values with |value| <= within_m(limit). There must be at least one value.
double share_within_pct(std::span<const double> values, double limit);

// Returns the percentage of values with |value| > within_m(limit). There must be at least one value.
double share_beyond_pct(std::span<const double> values, double limit);

// Returns whether a normal has a direction: it is finite and not zero.
bool has_direction(const Vec3& normal);

// Returns for each scored point the angle in degrees, 0 to 180, between the cloud's normal and the true
// normal at the closest point. A normal without a direction counts as 180. normals.size() ==
// points_m.size().
std::vector<double> normal_errors_deg(std::span<const Vec3> points_m, std::span<const Vec3> normals,
                                      const ScoredPoints& scored, const Surface& truth);

}  // namespace aqbench
