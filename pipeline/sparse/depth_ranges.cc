#include "pipeline/sparse/depth_ranges.h"

#include <algorithm>
#include <cmath>

namespace aqbench::sparse {
namespace {

constexpr double kLowQuantile = 0.02, kHighQuantile = 0.98;

// Between order statistics, as numpy's default does. Sorted values, at least one.
double sorted_quantile(const std::vector<double>& sorted, double q) {
  const double rank = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], rank - std::floor(rank));
}

bool is_in_image(const RefractiveCamera& camera, const Vec2& pixel) {
  return pixel.x() >= 0 && pixel.y() >= 0 && pixel.x() <= camera.width_px - 1 &&
         pixel.y() <= camera.height_px - 1;
}

}  // namespace

std::vector<std::optional<DepthRange>> depth_ranges(std::span<const Vec3> points_m,
                                                    std::span<const DatasetView> views) {
  std::vector<std::optional<DepthRange>> ranges;
  for (const DatasetView& view : views) {
    std::vector<double> depths_m;
    for (const Vec3& point_m : points_m) {
      const auto image = project(view.camera, point_m);
      if (image && is_in_image(view.camera, image->pixel)) depths_m.push_back(image->depth_along_ray_m);
    }
    ranges.emplace_back();
    if (depths_m.size() < kMinDepthPoints) continue;
    std::ranges::sort(depths_m);
    ranges.back() = DepthRange{std::max(0.0, sorted_quantile(depths_m, kLowQuantile) - kDepthMargin_m),
                               sorted_quantile(depths_m, kHighQuantile) + kDepthMargin_m};
  }
  return ranges;
}

}  // namespace aqbench::sparse
