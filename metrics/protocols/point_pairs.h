#pragma once
// The pixels of point maps that count, and MapAnything's errors of them, pixel by pixel.

#include <cstddef>
#include <vector>

#include "metrics/protocols/point_maps.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

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
void add_normed(ProtocolResult& result, const PointMaps& maps, const PointPairs& pairs);

}  // namespace aqbench
