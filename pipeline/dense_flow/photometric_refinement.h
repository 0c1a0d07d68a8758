#pragma once
// Improves depths by comparing the reference with all sources at once.

#include <span>

#include "pipeline/dense_flow/ray_triangulation.h"

namespace aqbench::dense_flow {

// How depths are refined.
struct RefinementOptions {
  int iterations = 6;
  int window_px = 7;               // odd
  double smoothing_px = 1.5;       // sigma of the depths that warp the sources
  double least_correlation = 0.4;  // of a source's window with the reference's; below it does not count
};

// Refines the depth of each pixel by Gauss-Newton: warps the sources by the smoothed depths, so that slopes
// are followed, and steps along the ray to minimise the differences of locally normalised grey values over
// the window, over all sources together (Lucas and Kanade 1981, in one unknown). A step is limited to one
// pixel of the widest source. Confidence becomes the mean correlation of the windows times the share of
// sources that count; pixels without a counting source lose their depth. Uses parallel_for.
void refine_depths(const DatasetView& reference, std::span<const DatasetView* const> sources,
                   std::span<const float> fallback_m, const RefinementOptions& options,
                   DepthEstimate& estimate);

}  // namespace aqbench::dense_flow
