#include "metrics/point_details.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/error.h"
#include "core/parallel.h"
#include "metrics/numbers/exact_sum.h"
#include "metrics/numbers/order_statistics.h"
#include "scenes/cloud/measurable.h"
#include "scenes/rendering/visibility.h"

namespace aqbench {
namespace {

constexpr double kStep_m = 1e-5;  // of the central differences: the map's curvature leaves 1e-8 of a pixel

// d(u, v) / d(x, y, z), px per metre.
std::optional<Eigen::Matrix<double, 2, 3>> pixel_gradient(const RefractiveCamera& camera,
                                                          const Vec3& point_m) {
  Eigen::Matrix<double, 2, 3> gradient;
  for (int axis = 0; axis < 3; ++axis) {
    const auto before = project(camera, point_m - kStep_m * Vec3::Unit(axis));
    const auto after = project(camera, point_m + kStep_m * Vec3::Unit(axis));
    if (!before || !after) return std::nullopt;
    gradient.col(axis) = (after->pixel - before->pixel) / (2 * kStep_m);
  }
  return gradient;
}

}  // namespace

std::optional<HeightDifference> measure_height_difference(const EachBlock& each_block, const Surface& truth) {
  const auto* const field = dynamic_cast<const HeightField*>(&truth);
  if (field == nullptr) return std::nullopt;
  HeightDifference found;
  std::array<ExactSum, 3> sums;
  std::vector<double> differences_m;  // of a block
  each_block([&](std::span<const Vec3> points_m, std::span<const std::uint32_t> index) {
    differences_m.resize(index.size());
    parallel_for(index.size(), 4096, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const Vec3& point_m = points_m[index[i]];
        differences_m[i] = field->jet(point_m.x(), point_m.y()).z - point_m.z();
      }
    });
    found.points += index.size();
    add_to_sums<3>(sums, index.size(), [&](std::size_t i) {
      const double difference_m = differences_m[i];
      return std::array<double, 3>{difference_m, std::abs(difference_m), difference_m * difference_m};
    });
    for (const double difference_m : differences_m)
      found.max_abs_m = std::max(found.max_abs_m, std::abs(difference_m));
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

CornerErrors charuco_errors(std::span<const Vec3> corners_m, std::span<const Vec3> true_corners_m) {
  if (corners_m.size() != true_corners_m.size())
    throw input_error("charuco corners: {} reconstructed and {} true ones", corners_m.size(),
                      true_corners_m.size());
  CornerErrors errors;
  double sum_m = 0, squares_m2 = 0;
  for (std::size_t i = 0; i < corners_m.size(); ++i) {
    if (!is_measurable(corners_m[i]) || !is_measurable(true_corners_m[i]))
      throw input_error("charuco corners: corner {} is not finite", i);
    const double distance_m = (corners_m[i] - true_corners_m[i]).norm();
    errors.distance_m.push_back(distance_m);
    sum_m += distance_m;
    squares_m2 += distance_m * distance_m;
  }
  if (errors.distance_m.empty()) return errors;
  const double count = static_cast<double>(errors.distance_m.size());
  std::vector<double> values = errors.distance_m;
  errors.mean_m = sum_m / count;
  errors.rmse_m = std::sqrt(squares_m2 / count);
  errors.max_m = std::ranges::max(values);
  errors.median_m = median_in_place(values);
  return errors;
}

std::optional<double> depth_bound_m(std::span<const RefractiveCamera> cameras, const Vec3& point_m) {
  Eigen::Matrix3d information = Eigen::Matrix3d::Zero();
  int seen = 0;
  for (const RefractiveCamera& camera : cameras) {
    const auto image = project(camera, point_m);
    if (!image || !is_in_image(camera, image->pixel.x(), image->pixel.y())) continue;
    const auto gradient = pixel_gradient(camera, point_m);
    if (!gradient) continue;
    information += gradient->transpose() * *gradient;
    ++seen;
  }
  if (seen < 2) return std::nullopt;
  const Eigen::FullPivLU<Eigen::Matrix3d> solver(information);
  if (!solver.isInvertible()) return std::nullopt;
  const double variance_m2 = solver.inverse()(2, 2);
  if (!(variance_m2 > 0) || !std::isfinite(variance_m2)) return std::nullopt;
  return std::sqrt(variance_m2);
}

}  // namespace aqbench
