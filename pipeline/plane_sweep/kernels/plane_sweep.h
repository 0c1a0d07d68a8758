#pragma once
// Plane-sweep stereo through a flat water surface: one interface, several kernels (options.h). For every
// pixel of the reference view and every depth along its refracted ray, the sources are sampled where that
// point projects; the depth at which the windows around the samples agree best wins.

#include <vector>

#include "pipeline/plane_sweep/kernels/flat_water_camera.h"
#include "pipeline/plane_sweep/kernels/grey_image.h"
#include "pipeline/plane_sweep/kernels/options.h"

namespace aqbench::plane_sweep {

struct View {
  FlatWaterCamera camera;  // its size is the image's
  GreyImage image;         // undistorted
};

struct Input {
  View reference;
  std::vector<View> sources;  // sizes may differ from the reference's
  // Range of the hypotheses: metres along the refracted ray from the water surface, both ends included.
  double depth_min_m = 0;
  double depth_max_m = 0;
};

struct Result {
  int width_px = 0;
  int height_px = 0;
  std::vector<float> depths_m;    // the hypotheses, evenly spaced
  std::vector<float> depth_m;     // [y][x], metres along the refracted ray; NaN = none
  std::vector<float> confidence;  // [y][x], 0 to 1; 0 where there is no depth
  std::vector<float> volume;      // [y][x][depth] if Options::keep_volume, else empty; lower = better match
};

// `count` values from min to max, both included.
std::vector<float> depth_hypotheses(double depth_min_m, double depth_max_m, int count);

// Throws Error(input) naming the view and field: sizes that do not match, no source, an empty or non-finite
// depth range, grey values that are not finite.
void check(const Input& input);

// Samples outside a source image count as missing: a window needs half its samples or costs 1 in that source;
// the cost of a depth is the mean over the sources. Throws as both check() functions; Error(usage) where the
// device is not there. Uses parallel_for (torch: at::set_num_threads to the same count); the result does not
// depend on the thread count. Opens the stages build_cost_volume, grid_sample_warp and extract_depth as far
// as the kernel keeps them apart.
Result run(const Input& input, const Options& options);

}  // namespace aqbench::plane_sweep
