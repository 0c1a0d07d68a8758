#pragma once
// The stages of workload synthetic_profile, written like a usual LibTorch pipeline. A stage keeps only the
// tensors that later stages need; hence its net memory (MB = 2^20 bytes, at 1920 x 1080, 64 depths):
//   undistortion     189.84  four frames as float and the four results
//   sparse_matching    2.00  keypoints, descriptors, matches
//   depth_estimation 545.80  grey reference, three grey sources, the cost volume, the depth map
//     extract_depth    7.91  the depth map
//   fusion            31.64  three depth maps and the fused one

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace aqbench {

// The number of frames: the reference and three sources.
inline constexpr int kSyntheticViews = 4;

// The four frames.
struct SyntheticFrames {
  int width_px = 0, height_px = 0, depths = 0;
  std::vector<std::uint8_t> bgr[kSyntheticViews];  // [3][height][width], distorted
};

// Makes the frames; depth indices are 0 to depths - 1.
SyntheticFrames make_synthetic_frames(int width_px, int height_px, int depths);

// Returns the grey value, 0 to 1, of a pixel of an undistorted view.
double synthetic_grey(const SyntheticFrames& frames, int view, double x_px, double y_px);

// Returns the true depth index of an undistorted row of the reference; there are four bands.
int synthetic_depth(const SyntheticFrames& frames, double y_px);

// Returns whether the lens saw this undistorted pixel.
bool synthetic_visible(const SyntheticFrames& frames, double x_px, double y_px);

// The number of keypoints, and of numbers in a descriptor.
inline constexpr std::int64_t kSyntheticKeypoints = 2000, kSyntheticDescriptor = 256;

// The outputs of the stages, as tensors on the CPU.
struct SyntheticOutputs {
  at::Tensor frames[kSyntheticViews];       // [1, 3, height, width], 0 to 1
  at::Tensor undistorted[kSyntheticViews];  // the same shape
  at::Tensor keypoints;                     // [2000, 2], pixels
  at::Tensor descriptors;                   // [2000, 256], unit length
  at::Tensor matches;                       // [count, 2], int64: pairs with a product above 0.8
  at::Tensor grey_reference;                // [height, width]
  at::Tensor grey_sources;                  // [3, 1, height, width]
  at::Tensor volume;                        // [depths, height, width], mean L1 cost over the sources
  at::Tensor depth;                         // [height, width], index of the best depth, as float
  at::Tensor depth_maps[3];                 // [height, width], each with outliers of its own
  at::Tensor fused;                         // [height, width]
  at::Tensor points, normals;               // [10000, 3], pixels
};

// Runs the pipeline. Opens the stages undistortion, sparse_matching, depth_estimation > extract_depth, fusion
// and surface_reconstruction.
SyntheticOutputs run_synthetic_profile(const SyntheticFrames& frames, std::uint64_t seed);

}  // namespace aqbench
