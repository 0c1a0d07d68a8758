#pragma once
// Triangulates depths of a reference view from matches in several sources.

#include <span>
#include <vector>

#include "pipeline/dense_flow/pair_matching.h"

namespace aqbench::dense_flow {

// When a depth is accepted.
struct TriangulationOptions {
  int min_pairs = 2;             // sources that must agree
  double max_residual_px = 1.5;  // a source agrees if its ray passes this close to the point
  double min_angle_deg = 2;      // between rays, in water, of all agreeing sources together
};

// A depth map and its confidence.
struct DepthEstimate {
  std::vector<float> depth_m;     // [y][x], along the refracted ray; NaN = none
  std::vector<float> confidence;  // 0 to 1; 0 where there is none
};

// Triangulates each pixel. Each source ray gives the depth where the reference ray passes it most closely.
// Sources near the weighted median of these (weight: squared sine of the angle between the rays) agree; the
// point is their least-squares point on the reference ray. Confidence is the share of matching sources that
// agree, times their mean matching confidence, over 1 + (rms residual / 0.5 px)^2. `warps` maps to the
// sources' own pixels (through_alignment). Uses parallel_for.
DepthEstimate triangulate_matches(const DatasetView& reference, std::span<const DatasetView* const> sources,
                                  std::span<const PairWarp> warps, const TriangulationOptions& options);

// Returns the Gaussian mean of existing depths, weighted by confidence; `fallback_m` if there is none within
// 3 sigma.
std::vector<float> smooth_depths(const DepthEstimate& estimate, int width_px, int height_px, double sigma_px,
                                 std::span<const float> fallback_m);

}  // namespace aqbench::dense_flow
