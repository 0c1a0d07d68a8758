#include "metrics/point_details.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "metrics/order_statistics.h"
#include "scenes/optics/refraction.h"

namespace aqbench {
namespace {

std::optional<Vec2> pixel_in_image(const RefractiveCamera& camera, const Vec3& point_m) {
  const auto image = project(camera, point_m);
  if (!image || !is_in_image(camera, image->pixel.x(), image->pixel.y())) return std::nullopt;
  return image->pixel;
}

}  // namespace

std::optional<HeightDifference> measure_height_difference(std::span<const Vec3> points_m,
                                                          const ScoredPoints& scored, const Surface& truth) {
  const auto* const field = dynamic_cast<const HeightField*>(&truth);
  if (field == nullptr || scored.index.empty()) return std::nullopt;
  HeightDifference found;
  double squares_m2 = 0;
  for (const std::uint32_t index : scored.index) {
    const Vec3& point_m = points_m[index];
    const double difference_m = field->jet(point_m.x(), point_m.y()).z - point_m.z();
    found.mean_m += difference_m;
    found.mean_abs_m += std::abs(difference_m);
    squares_m2 += difference_m * difference_m;
    found.max_abs_m = std::max(found.max_abs_m, std::abs(difference_m));
  }
  found.points = scored.index.size();
  const auto count = static_cast<double>(found.points);
  found.mean_m /= count;
  found.mean_abs_m /= count;
  found.rmse_m = std::sqrt(squares_m2 / count);
  return found;
}

std::optional<ReprojectionError> measure_reprojection(std::span<const Vec3> points_m,
                                                      const ScoredPoints& scored, const Surface& truth,
                                                      const Rig& rig) {
  std::vector<Vec3> chosen_m;
  for (const std::uint32_t index : scored.index) chosen_m.push_back(points_m[index]);
  std::vector<ClosestPoint> closest(chosen_m.size());
  truth.closest_points(chosen_m, closest);
  std::vector<double> distances_px;
  double sum_px = 0, squares_px2 = 0;
  for (const Camera& camera : rig.cameras) {
    if (camera.is_auxiliary) continue;
    const RefractiveCamera view = refractive_camera(camera, rig.water);
    for (std::size_t i = 0; i < chosen_m.size(); ++i) {
      const auto at = pixel_in_image(view, chosen_m[i]),
                 true_at = pixel_in_image(view, closest[i].position_m);
      if (!at || !true_at) continue;
      distances_px.push_back((*at - *true_at).norm());
      sum_px += distances_px.back();
      squares_px2 += distances_px.back() * distances_px.back();
    }
  }
  if (distances_px.empty()) return std::nullopt;
  const auto count = static_cast<double>(distances_px.size());
  return ReprojectionError{.projections = distances_px.size(),
                           .mean_px = sum_px / count,
                           .median_px = median_in_place(distances_px),
                           .rmse_px = std::sqrt(squares_px2 / count)};
}

}  // namespace aqbench
