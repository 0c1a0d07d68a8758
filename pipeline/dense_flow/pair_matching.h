#pragma once
// Dense matching of a reference view with a source warped to it, so that only small displacements remain.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "pipeline/plane_sweep/kernels/input.h"
#include "pipeline/views/dataset_views.h"

namespace aqbench::dense_flow {

// The position of each pixel of image a in image b; row-major, of a's size.
struct PairWarp {
  std::vector<float> x_px, y_px;  // NaN = no match
  std::vector<float> confidence;  // 0 to 1
};

// A dense matcher. Both images have one size, values 0 to 1.
struct PairMatcher {
  std::function<PairWarp(const plane_sweep::GreyImage& a, const plane_sweep::GreyImage& b)> match;
  bool several_threads = true;  // match may be called from several threads at once
};

// Options of the flow.
struct FlowOptions {
  int finest_scale = 0;  // the flow is found down to images of 1 / 2^scale and interpolated from there
  int variational_iterations = 5;
  int normalisation_window_px = 21;  // grey values are centred and scaled over this before
  double forward_backward_tolerance_px = 1.0;
};

// Makes a matcher that runs dense inverse search (Kroeger et al., "Fast optical flow using dense inverse
// search", ECCV 2016; OpenCV) forwards and backwards, and drops matches whose forward-backward difference
// exceeds the tolerance.
PairMatcher flow_matcher(const FlowOptions& options);

// A source warped to the reference as if each reference pixel lay at `depth_m`.
struct AlignedSource {
  std::vector<float> grey;        // the reference's own grey where the source does not see the place
  std::vector<float> x_px, y_px;  // where it was sampled
  std::vector<std::uint8_t> seen;
};

// Warps a source to the reference. depth_m: [y][x] along the reference's refracted rays; NaN = not seen. Uses
// parallel_for.
AlignedSource align_source(const DatasetView& reference, const DatasetView& source,
                           std::span<const float> depth_m);

// Returns the depths at which the reference's rays meet the plane z = z_m. Uses parallel_for.
std::vector<float> plane_depths(const RefractiveCamera& camera, double z_m);

// Changes a warp to the aligned source into one to the source itself; NaN where the source does not see it.
void through_alignment(const AlignedSource& aligned, int width_px, int height_px, PairWarp& warp);

}  // namespace aqbench::dense_flow
