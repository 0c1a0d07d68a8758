#include "pipeline/sparse/depth_ranges.h"

#include <algorithm>

#include "core/quantiles.h"

namespace aqbench::sparse {
namespace {

constexpr double kLowQuantile = 0.02, kHighQuantile = 0.98;

}  // namespace

std::vector<std::optional<DepthRange>> depth_ranges(std::span<const Vec3> points_m,
                                                    std::span<const DatasetView> views) {
  std::vector<std::optional<DepthRange>> ranges;
  for (const DatasetView& view : views) {
    std::vector<double> depths_m;
    for (const Vec3& point_m : points_m) {
      const auto image = project(view.camera, point_m);
      if (image && is_in_image(view.camera, image->pixel.x(), image->pixel.y()))
        depths_m.push_back(image->depth_along_ray_m);
    }
    ranges.emplace_back();
    if (depths_m.size() < kMinDepthPoints) continue;
    std::ranges::sort(depths_m);
    ranges.back() = DepthRange{std::max(0.0, quantile_of_sorted(depths_m, kLowQuantile) - kDepthMargin_m),
                               quantile_of_sorted(depths_m, kHighQuantile) + kDepthMargin_m};
  }
  return ranges;
}

}  // namespace aqbench::sparse
