#include "pipeline/sparse/depth_ranges.h"

#include <algorithm>

#include "core/quantiles.h"

namespace aqbench::sparse {
namespace {

constexpr double kLowQuantile = 0.02, kHighQuantile = 0.98;

// Sorts the depths.
DepthRange range_of(std::vector<double>& depths_m, bool straight) {
  std::ranges::sort(depths_m);
  const double low_m = quantile_of_sorted(depths_m, kLowQuantile),
               high_m = quantile_of_sorted(depths_m, kHighQuantile);
  return {std::max(0.0, low_m - (straight ? kDepthMarginShare * low_m : kDepthMargin_m)),
          high_m + (straight ? kDepthMarginShare * high_m : kDepthMargin_m)};
}

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
    if (depths_m.size() >= kMinDepthPoints)
      ranges.back() = range_of(depths_m, view.camera.optics == &kStraightRays);
  }
  return ranges;
}

std::vector<std::optional<DepthRange>> sighted_depth_ranges(std::span<const SparsePoint> points,
                                                            std::span<const DatasetView> views) {
  std::vector<std::optional<DepthRange>> ranges = depth_ranges(positions(points), views);
  std::vector<std::vector<double>> sighted_m(views.size());
  for (const SparsePoint& point : points)
    for (const Sighting& sighting : point.sightings)
      if (const auto image = project(views[sighting.view].camera, point.point_m))
        sighted_m[sighting.view].push_back(image->depth_along_ray_m);
  for (std::size_t i = 0; i < views.size(); ++i)
    if (views[i].camera.optics == &kStraightRays && sighted_m[i].size() >= kMinDepthPoints)
      ranges[i] = range_of(sighted_m[i], true);
  return ranges;
}

}  // namespace aqbench::sparse
