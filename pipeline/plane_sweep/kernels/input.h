#pragma once
// Input and result of a plane sweep.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scenes/optics/refractive_camera.h"

namespace aqbench::plane_sweep {

// A non-owning view of a grey image. Row-major height_px x width_px without padding; exactly one of the two
// pointers is set. Values of `floats` go from 0 (black) to 1 (white): the constants of ssim and of the noise
// floor assume that scale.
struct GreyImage {
  int width_px = 0;
  int height_px = 0;
  const float* floats = nullptr;
  const std::uint8_t* bytes = nullptr;  // value / 255

  std::size_t pixel_count() const {
    return static_cast<std::size_t>(width_px) * static_cast<std::size_t>(height_px);
  }
  float grey(std::size_t index) const {
    return floats != nullptr ? floats[index] : static_cast<float>(bytes[index]) / 255.0F;
  }
};

// One camera and its image.
struct View {
  RefractiveCamera camera;  // its size is the image's
  GreyImage image;          // undistorted
};

// The input of a plane sweep: a reference view, whose depths are found, and the views to compare with.
struct Input {
  View reference;
  std::vector<View> sources;  // sizes may differ from the reference's
  // Range of the hypotheses: metres along the ray from its origin, both ends included.
  double depth_min_m = 0;
  double depth_max_m = 0;
  // Hypotheses are evenly spaced in depth, or in inverse depth, where a step is an even step of parallax for
  // rays from the camera's centre; depth_min_m is then positive.
  bool even_in_inverse = false;
};

// The depths of the reference view.
struct Result {
  int width_px = 0;
  int height_px = 0;
  std::vector<float> depths_m;    // the hypotheses, ascending
  std::vector<float> depth_m;     // [y][x], metres along the refracted ray; NaN = none
  std::vector<float> confidence;  // [y][x], 0 to 1; 0 where there is no depth
  std::vector<float> volume;      // [y][x][depth] if Options::keep_volume, else empty; lower = better match
  int kernel_calls = 1;           // kernel torch, and OpenCL: one per batch of depths
};

// A refined depth map (pipeline/depth_maps/refinement.h).
struct RefinedDepth {
  std::vector<float> depth_m;     // [y][x], metres along the ray; NaN = none
  std::vector<float> similarity;  // [y][x], 1 - the winner's cost, at least 0; 0 where there is no depth
};

// A view's depth map: [y][x], metres along the refracted ray, NaN = none.
struct DepthView {
  RefractiveCamera camera;
  std::span<const float> depth_m;
  std::span<const float> confidence;
};

}  // namespace aqbench::plane_sweep
