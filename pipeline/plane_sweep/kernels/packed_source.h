#pragma once
// A source image in the fused kernel's format: one 8-byte load fetches the four neighbours of a bilinear
// sample.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pipeline/plane_sweep/kernels/input.h"

namespace aqbench::plane_sweep {

// A packed image. pairs[y * stride + x] holds the codes of (x, y) in its low and of (x, y + 1) in its high 16
// bits. The last row and column are duplicated, so samples on the image's border need no special case. The
// code divides the range between the image's extremes into 65535 steps: 4 bytes a pixel instead of 16 for
// four floats.
struct PackedSource {
  int width_px = 0;
  int height_px = 0;
  int stride = 0;  // width_px + 1
  std::vector<std::uint32_t> pairs;
  float grey_per_code = 0;  // grey = grey_at_zero + grey_per_code * code; positive
  float grey_at_zero = 0;

  // The largest index whose 8-byte load stays inside `pairs`.
  std::uint32_t last_index() const { return static_cast<std::uint32_t>(pairs.size() - 2); }
  float code(int x, int y) const {
    return static_cast<float>(pairs[static_cast<std::size_t>(y) * stride + x] & 0xffffU);
  }
};

// Packs an image. Uses parallel_for.
PackedSource pack_source(const GreyImage& image);

}  // namespace aqbench::plane_sweep
