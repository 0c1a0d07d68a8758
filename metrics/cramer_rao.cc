#include "metrics/cramer_rao.h"

#include <Eigen/LU>
#include <cmath>

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
