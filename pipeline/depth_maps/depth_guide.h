#pragma once
// Turns a depth map into the guide of its refinement (refinement.h): smooth within surfaces but not across
// steps, with small holes filled.

#include <span>
#include <vector>

namespace aqbench::plane_sweep {

// Options of the smoothing.
struct GuideOptions {
  float min_confidence = 0.1F;  // depths below it are not used
  int radius_px = 3;            // of the square neighbourhood
  // Neighbours have Tukey's weight (1 - (difference / limit)^2)^2, zero beyond the limit. The limit must
  // exceed the depth change of a steep slope within the radius, or the guide flattens it.
  float depth_limit_m = 0.012F;
};

// Returns the guide, [y][x], metres. A pixel without a usable depth gets the mean of its neighbours' if a
// quarter of them have one, else NaN. Uses parallel_for. Throws Error(usage) "field: ...", Error(input) for
// wrong sizes.
std::vector<float> depth_guide(int width_px, int height_px, std::span<const float> depth_m,
                               std::span<const float> confidence, const GuideOptions& options);

}  // namespace aqbench::plane_sweep
