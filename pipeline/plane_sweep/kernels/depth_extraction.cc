#include "pipeline/plane_sweep/kernels/depth_extraction.h"

#include "core/error.h"
#include "core/parallel.h"

namespace aqbench::plane_sweep {
namespace {

constexpr std::size_t kExtractionGrain = 4096;  // pixels

DepthEstimate estimate_pixel(std::span<const float> costs, std::span<const float> depths_m,
                             bool even_in_inverse) {
  std::size_t best = 0;
  double sum = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (costs[i] < costs[best]) best = i;
    sum += costs[i];
  }
  if (best == 0 || best + 1 == costs.size()) return kNoDepth;
  const auto mean = static_cast<float>(sum / static_cast<double>(costs.size()));
  return refine_winner(depths_m, best, even_in_inverse, costs[best - 1], costs[best], costs[best + 1], mean);
}

}  // namespace

void extract_depth(std::span<const float> volume, std::span<const float> depths_m, std::span<float> depth_m,
                   std::span<float> confidence, bool even_in_inverse) {
  const std::size_t depths = depths_m.size();
  if (depths < 2 || volume.size() != depth_m.size() * depths || confidence.size() != depth_m.size())
    throw Error(ErrorKind::input, "extract_depth: sizes of volume, depths and outputs do not match");
  parallel_for(depth_m.size(), kExtractionGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t pixel = begin; pixel < end; ++pixel) {
      const DepthEstimate estimate =
          estimate_pixel(volume.subspan(pixel * depths, depths), depths_m, even_in_inverse);
      depth_m[pixel] = estimate.depth_m;
      confidence[pixel] = estimate.confidence;
    }
  });
}

}  // namespace aqbench::plane_sweep
