#pragma once
// Filters depths by the confirmation of other views.

#include <cstddef>
#include <span>
#include <vector>

#include "pipeline/plane_sweep/kernels/input.h"
#include "pipeline/plane_sweep/kernels/options.h"

namespace aqbench::plane_sweep {

// A filtered depth map, [y][x].
struct FilteredDepth {
  std::vector<float> depth_m;     // NaN where too few views agree
  std::vector<float> confidence;  // 0 there
  std::vector<int> views;         // other views that agree; 0 where there was no confident depth
};

// Throws Error(usage) "field: problem".
void check(const ConsistencyOptions& options);

// Filters the depth map of views[reference]: projects each point into every other view, which agrees if its
// depth there is within the tolerance of the point's depth along that view's ray. The depth there is bilinear
// over the neighbours that have one; it is missing if the others have more than 1 % of the weight. Uses
// parallel_for. agreeing: the views that agree, where a device counted them. Throws Error(input) for spans
// whose sizes do not match their camera.
FilteredDepth filter_by_consistency(std::span<const DepthView> views, std::size_t reference,
                                    const ConsistencyOptions& options, std::vector<int> agreeing = {});

}  // namespace aqbench::plane_sweep
