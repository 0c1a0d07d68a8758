#include "pipeline/depth_maps/depth_guide.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "core/error.h"
#include "core/multiversion.h"
#include "core/parallel.h"

namespace aqbench::plane_sweep {
namespace {

constexpr float kNoGuide = std::numeric_limits<float>::quiet_NaN();
constexpr float kFarAway_m = 1e6F;  // stands for a missing depth: beyond every limit
constexpr std::size_t kGuideRows = 16;

// The map with a border of the radius; kFarAway_m where there is no usable depth.
struct PaddedDepths {
  std::ptrdiff_t stride = 0, radius = 0;
  std::vector<float> depth_m;
  const float* row(std::ptrdiff_t y) const { return depth_m.data() + (y + radius) * stride + radius; }
};

PaddedDepths pad(int width, int height, std::span<const float> depth_m, std::span<const float> confidence,
                 const GuideOptions& options) {
  PaddedDepths padded;
  padded.radius = options.radius_px;
  padded.stride = width + 2 * padded.radius;
  padded.depth_m.assign(static_cast<std::size_t>(padded.stride * (height + 2 * padded.radius)), kFarAway_m);
  for (std::ptrdiff_t y = 0; y < height; ++y)
    for (std::ptrdiff_t x = 0; x < width; ++x) {
      const auto i = static_cast<std::size_t>(y * width + x);
      if (confidence[i] >= options.min_confidence && std::isfinite(depth_m[i]))
        padded.depth_m[(y + padded.radius) * padded.stride + padded.radius + x] = depth_m[i];
    }
  return padded;
}

// Adds one neighbour of every pixel of a row to the weighted sums of differences.
AQBENCH_MULTIVERSION
void add_neighbours(const float* __restrict centre, const float* __restrict neighbour, std::ptrdiff_t count,
                    float per_limit2, float* __restrict sum, float* __restrict weight) {
  for (std::ptrdiff_t x = 0; x < count; ++x) {
    const float difference = neighbour[x] - centre[x];
    const float left = 1.0F - difference * difference * per_limit2;
    const float share = left > 0.0F ? left * left : 0.0F;
    sum[x] += share * difference;
    weight[x] += share;
  }
}

float fill_hole(const PaddedDepths& padded, std::ptrdiff_t x, std::ptrdiff_t y) {
  double sum = 0;
  int count = 0;
  for (std::ptrdiff_t dy = -padded.radius; dy <= padded.radius; ++dy)
    for (std::ptrdiff_t dx = -padded.radius; dx <= padded.radius; ++dx) {
      const float depth_m = padded.row(y + dy)[x + dx];
      if (depth_m == kFarAway_m) continue;
      sum += depth_m;
      ++count;
    }
  const std::ptrdiff_t side = 2 * padded.radius + 1;
  return 4 * count >= side * side ? static_cast<float>(sum / count) : kNoGuide;
}

}  // namespace

std::vector<float> depth_guide(int width_px, int height_px, std::span<const float> depth_m,
                               std::span<const float> confidence, const GuideOptions& options) {
  if (options.radius_px < 0 || options.radius_px > 32)
    throw Error(ErrorKind::usage, "radius_px: must be from 0 to 32");
  if (!(options.depth_limit_m > 0) || !std::isfinite(options.depth_limit_m))
    throw Error(ErrorKind::usage, "depth_limit_m: must be positive");
  if (width_px < 1 || height_px < 1 || depth_m.size() != static_cast<std::size_t>(width_px) * height_px ||
      confidence.size() != depth_m.size())
    throw Error(ErrorKind::input, "depth_guide: depths and confidences must have the given size");
  const PaddedDepths padded = pad(width_px, height_px, depth_m, confidence, options);
  const auto width = static_cast<std::size_t>(width_px);
  const float per_limit2 = 1.0F / (options.depth_limit_m * options.depth_limit_m);
  std::vector<float> guide_m(depth_m.size(), kNoGuide);
  parallel_for(static_cast<std::size_t>(height_px), kGuideRows, [&](std::size_t begin, std::size_t end) {
    std::vector<float> sum(width), weight(width);
    for (std::size_t y = begin; y < end; ++y) {
      std::ranges::fill(sum, 0.0F);
      std::ranges::fill(weight, 0.0F);
      const float* const centre = padded.row(static_cast<std::ptrdiff_t>(y));
      for (std::ptrdiff_t dy = -padded.radius; dy <= padded.radius; ++dy)
        for (std::ptrdiff_t dx = -padded.radius; dx <= padded.radius; ++dx)
          add_neighbours(centre, padded.row(static_cast<std::ptrdiff_t>(y) + dy) + dx, width_px, per_limit2,
                         sum.data(), weight.data());
      for (std::size_t x = 0; x < width; ++x)
        guide_m[y * width + x] = centre[x] == kFarAway_m ? fill_hole(padded, static_cast<std::ptrdiff_t>(x),
                                                                     static_cast<std::ptrdiff_t>(y))
                                                         : centre[x] + sum[x] / weight[x];
    }
  });
  return guide_m;
}

}  // namespace aqbench::plane_sweep
