#pragma once
// Sparse reconstruction with straight or refracted rays: features, matches, tracks, points.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pipeline/sparse/features.h"
#include "pipeline/sparse/matching.h"
#include "pipeline/views/dataset_views.h"

namespace aqbench::sparse {

// Options of the sparse reconstruction.
struct Options {
  FeatureOptions features;
  int sources = 4;             // nearest other cameras that a view is matched with, auxiliary ones besides
  double max_ratio = 0.8;      // of the ratio test
  double epipolar_px = 2.0;    // of two keypoints' refracted rays
  double min_angle_deg = 2.0;  // between two of a point's rays, at least: bounds the depth by the parallax
  double max_reprojection_px = 3;  // of every sighting of a point
  double max_depth_m = 0;          // below the water surface, or along the ray without water; 0: no limit
};

// Throws Error(usage) naming the field.
void check(const Options& options);

// A triangulated point and its keypoints.
struct SparsePoint {
  Vec3 point_m;  // world frame
  double reprojection_rms_px = 0;
  Track sightings;  // those that agree with the point; two or more
};

// What became of the tracks of a reconstruction.
struct TrackCounts {
  std::size_t keypoints = 0, tracks = 0;
  std::size_t points = 0;
  std::size_t disagree = 0;     // no two sightings agree on a place in front of their cameras
  std::size_t narrow = 0;       // the angle between the rays is at most min_angle_deg
  std::size_t unconfirmed = 0;  // without water: no third camera agrees closely
  std::size_t too_deep = 0;     // farther than max_depth_m
};

// Returns "N keypoints, N tracks of two or more cameras, N points; dropped: ...".
std::string describe(const TrackCounts& counts, const Options& options);

// Reconstructs sparse points, possibly none, in the order of their tracks. Opens the stages sparse_matching
// and triangulation. The result is the same for any thread count. Throws Error(usage) like check(),
// Error(method) for fewer than two views.
std::vector<SparsePoint> reconstruct(std::span<const DatasetView> views, const Options& options,
                                     TrackCounts* counts = nullptr);

// Triangulates a track by least squares over its rays. While a sighting is off by max_reprojection_px or more
// and two others remain, drops the worst one. Returns nullopt and adds to the counts if the angle between the
// rays is too small, the point is deeper than max_depth_m, or no two sightings agree on a place below the
// water and in front of their cameras.
std::optional<SparsePoint> triangulate_track(const Track& track, std::span<const DatasetView> views,
                                             std::span<const Features> features, const Options& options,
                                             TrackCounts* counts = nullptr);

// Returns sqrt(a b) with a = 1 - rms / max_reprojection_px and b = 1 - 1 / views: higher for more views and
// for a smaller residual.
float confidence(const SparsePoint& point, const Options& options);

// Returns the positions of the points, in their order.
std::vector<Vec3> positions(std::span<const SparsePoint> points);

}  // namespace aqbench::sparse
