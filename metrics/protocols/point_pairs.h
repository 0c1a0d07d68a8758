#pragma once
// Point maps and their knobs, the pixels that count, and MapAnything's errors of them, pixel by pixel.

#include <cstddef>
#include <span>
#include <vector>

#include "metrics/protocols/protocol_result.h"
#include "metrics/protocols/trajectory.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// How predicted points are moved onto the true ones of the same pixels.
enum class PointMapAlignment {
  none,
  pixel,        // the similarity of all pixels (Umeyama)
  scale_shift,  // a scale and a shift along z by medians; both sides in the frame of their first camera
  norm          // each side is divided by its mean distance from the first camera
};

// The knobs of point_map_errors().
struct PointMapKnobs {
  PointMapAlignment align = PointMapAlignment::pixel;
  double icp_m = 0.1;         // partners of the ICP that follows are nearer than this; 0: no ICP
  int nc_neighbours = 30;     // of a point, itself included, that give its normal
  int crop_px = 0;            // only a square of so many pixels in the middle of each view counts; 0: all do
  double min_confidence = 0;  // pixels with a lower confidence do not count
  bool fit_anyway = false;    // what the pixels do not determine is fitted as their programs fit it; else
                              // everything is undefined
  bool zero_error = false;    // predictions that are not finite count as errors of 0; else they do not count
};

// Point maps: views x height x width x 3, in the files' unit of length or in metres; confidences views x
// height x width, or none. A pixel whose true point is not finite does not count.
struct PointMaps {
  std::size_t views = 0, height = 0, width = 0;
  std::span<const double> predicted_m, truth_m;
  std::span<const float> confidence = {};
  // For align = norm, or none: depths along z, unit rays (x 3), and a pose for each view.
  std::span<const float> predicted_z_m = {}, true_z_m = {}, predicted_rays = {}, true_rays = {};
  std::span<const CameraPose> predicted_poses = {}, true_poses = {};
};

inline constexpr const char* kNoPoint = "no pixel has both points";

// The points of the pixels that count, view by view, and their depths as (0, 0, z), where there are some.
struct PointPairs {
  std::vector<Vec3> predicted_m, truth_m;
  std::vector<Vec3> predicted_z_m, true_z_m;
  std::vector<std::size_t> ends;  // of each view
  std::size_t true_pixels = 0;    // with or without a prediction
};

// Selects the pixels within a square of crop_px in the middle of each view; 0: of all.
PointPairs select_point_pairs(const PointMaps& maps, const PointMapKnobs& knobs, int crop_px);

// Adds the errors of points, depths, rays and poses once both sides have a mean distance of 1.
void add_normed(ProtocolResult& result, const PointMaps& maps, const PointMapKnobs& knobs,
                const PointPairs& pairs);

}  // namespace aqbench
