#pragma once
// Filters depths by the confirmation of other views.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pipeline/opencl/opencl.h"
#include "scenes/optics/refractive_camera.h"

namespace aqbench::plane_sweep {

// A view's depth map: [y][x], metres along the refracted ray, NaN = none.
struct DepthView {
  RefractiveCamera camera;
  std::span<const float> depth_m;
  std::span<const float> confidence;
};

// When a depth is confirmed.
struct ConsistencyOptions {
  float min_confidence = 0.1F;
  double depth_tolerance_m = 0.005;
  int min_views = 3;            // other views that must agree
  double tolerance_per_m2 = 0;  // times the squared depth: the tolerance where that is more
  std::string device = "cpu";   // or an OpenCL device
};

// A filtered depth map, [y][x].
struct FilteredDepth {
  std::vector<float> depth_m;     // NaN where too few views agree
  std::vector<float> confidence;  // 0 there
  std::vector<int> views;         // other views that agree; 0 where there was no confident depth
};

// Throws Error(usage) "field: problem".
void check(const ConsistencyOptions& options);

// Returns the maps on the OpenCL device of the options, for filter_by_consistency(); nullptr on the CPU.
std::unique_ptr<opencl::DeviceMaps> on_device(std::span<const DepthView> views,
                                              const ConsistencyOptions& options);

// Filters the depth map of views[reference]: projects each point into every other view, which agrees if its
// depth there is within the tolerance of the point's depth along that view's ray. The depth there is bilinear
// over the neighbours that have one; it is missing if the others have more than 1 % of the weight. Uses
// parallel_for. `maps`: the views on a device, or nullptr. Throws Error(input) for spans whose sizes do not
// match their camera.
FilteredDepth filter_by_consistency(std::span<const DepthView> views, std::size_t reference,
                                    const ConsistencyOptions& options, opencl::DeviceMaps* maps = nullptr);

}  // namespace aqbench::plane_sweep
