#include "metrics/point_details.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "metrics/numbers/exact_sum.h"
#include "metrics/numbers/order_statistics.h"
#include "scenes/rendering/visibility.h"

namespace aqbench {

std::optional<HeightDifference> measure_height_difference(const EachBlock& each_block, const Surface& truth) {
  const auto* const field = dynamic_cast<const HeightField*>(&truth);
  if (field == nullptr) return std::nullopt;
  HeightDifference found;
  std::array<ExactSum, 3> sums;
  each_block([&](std::span<const Vec3> points_m, std::span<const std::uint32_t> index) {
    const auto difference_at = [&](std::size_t i) {
      const Vec3& point_m = points_m[index[i]];
      return field->jet(point_m.x(), point_m.y()).z - point_m.z();
    };
    found.points += index.size();
    add_to_sums<3>(sums, index.size(), [&](std::size_t i) {
      const double difference_m = difference_at(i);
      return std::array<double, 3>{difference_m, std::abs(difference_m), difference_m * difference_m};
    });
    for (std::size_t i = 0; i < index.size(); ++i)
      found.max_abs_m = std::max(found.max_abs_m, std::abs(difference_at(i)));
  });
  if (found.points == 0) return std::nullopt;
  const auto count = static_cast<double>(found.points);
  found.mean_m = sums[0].value() / count;
  found.mean_abs_m = sums[1].value() / count;
  found.rmse_m = std::sqrt(sums[2].value() / count);
  return found;
}

std::optional<ReprojectionError> measure_reprojection(std::span<const Vec3> points_m,
                                                      std::span<const std::uint32_t> index,
                                                      const Surface& truth, const Rig& rig) {
  std::vector<Vec3> chosen_m;
  for (const std::uint32_t i : index) chosen_m.push_back(points_m[i]);
  std::vector<ClosestPoint> closest(chosen_m.size());
  truth.closest_points(chosen_m, closest);
  std::vector<double> distances_px;
  for (const SeeingCamera& camera : seeing_cameras(rig)) {
    for (std::size_t i = 0; i < chosen_m.size(); ++i) {
      const auto at = seen_at(camera, chosen_m[i]), true_at = seen_at(camera, closest[i].position_m);
      if (!at || !true_at) continue;
      distances_px.push_back((at->pixel - true_at->pixel).norm());
    }
  }
  if (distances_px.empty()) return std::nullopt;
  const std::array<double, 2> sums = exact_sums<2>(distances_px.size(), [&](std::size_t i) {
    return std::array<double, 2>{distances_px[i], distances_px[i] * distances_px[i]};
  });
  const auto count = static_cast<double>(distances_px.size());
  return ReprojectionError{.projections = distances_px.size(),
                           .mean_px = sums[0] / count,
                           .median_px = median_in_place(distances_px),
                           .rmse_px = std::sqrt(sums[1] / count)};
}

}  // namespace aqbench
