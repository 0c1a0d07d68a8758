#pragma once
// Which depths other views confirm.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scenes/optics/refractive_camera.h"

namespace aqbench::plane_sweep {

// A view's depth map: [y][x], metres along the refracted ray, NaN = none.
struct DepthView {
  RefractiveCamera camera;
  std::span<const float> depth_m;
  std::span<const float> confidence;
};

// When a depth counts as confirmed.
struct ConsistencyOptions {
  float min_confidence = 0.1F;
  double depth_tolerance_m = 0.005;
  int min_views = 3;  // other views that must agree
};

// What is left of a depth map, [y][x].
struct FilteredDepth {
  std::vector<float> depth_m;     // NaN where too few views agree
  std::vector<float> confidence;  // 0 there
  std::vector<int> views;         // other views that agree; 0 where there was no confident depth
};

// Throws Error(usage) "field: what is wrong".
void check(const ConsistencyOptions& options);

// Filters the depth map of views[reference]: each of its points is projected into every other view; that view
// agrees if its depth there is less than the tolerance from the point's own depth along that view's ray. The
// depth there is bilinear over the neighbours that have one; there is none where the others have more than 1
// % of the weight. Uses parallel_for. Throws Error(input) for spans whose sizes do not fit their camera.
FilteredDepth filter_by_consistency(std::span<const DepthView> views, std::size_t reference,
                                    const ConsistencyOptions& options);

}  // namespace aqbench::plane_sweep
