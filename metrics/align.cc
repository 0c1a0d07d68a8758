#include "metrics/align.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/error.h"
#include "core/parallel.h"
#include "metrics/neighbours/measurable.h"
#include "metrics/order_statistics.h"

namespace aqbench {
namespace {

using Vec6 = Eigen::Matrix<double, 6, 1>;
using Mat6 = Eigen::Matrix<double, 6, 6>;

std::vector<Vec3> take_evenly(std::span<const Vec3> points_m, std::size_t at_most) {
  std::vector<Vec3> finite_m;
  std::ranges::copy_if(points_m, std::back_inserter(finite_m), is_measurable);
  if (finite_m.size() <= at_most) return finite_m;
  std::vector<Vec3> taken_m;
  taken_m.reserve(at_most);
  for (std::size_t i = 0; i < at_most; ++i) taken_m.push_back(finite_m[i * finite_m.size() / at_most]);
  return taken_m;
}

std::vector<ClosestPoint> closest_to(const Surface& truth, const std::vector<Vec3>& points_m) {
  std::vector<ClosestPoint> closest(points_m.size());
  parallel_for(points_m.size(), 1 << 12, [&](std::size_t begin, std::size_t end) {
    truth.closest_points(std::span(points_m).subspan(begin, end - begin),
                         std::span(closest).subspan(begin, end - begin));
  });
  return closest;
}

double rms_of(const std::vector<ClosestPoint>& closest) {
  double squares = 0;
  for (const ClosestPoint& point : closest) squares += point.signed_distance_m * point.signed_distance_m;
  return std::sqrt(squares / static_cast<double>(closest.size()));
}

// Tukey's limit: 4.685 robust standard deviations (95 % efficient on normal errors) about zero, so that a
// common offset is not taken for outliers.
double tukey_limit_m(const std::vector<ClosestPoint>& closest) {
  std::vector<double> sizes;
  sizes.reserve(closest.size());
  for (const ClosestPoint& point : closest) sizes.push_back(std::abs(point.signed_distance_m));
  return std::max(4.685 * kNmadScale * median_in_place(sizes), 1e-9);
}

struct Step {
  Vec6 motion = Vec6::Zero();  // rotation about the centre (radians) times its length scale, translation
  int constrained = 0;
};

// Least squares of signed distances linearised in a small motion about `centre`. Directions in which the
// surface does not resist are not moved along: the pseudo-inverse leaves them at zero.
Step solve_step(const std::vector<Vec3>& points_m, const std::vector<ClosestPoint>& closest,
                const Vec3& centre_m, double scale_m) {
  const double limit_m = tukey_limit_m(closest);
  Mat6 normal_matrix = Mat6::Zero();
  Vec6 right = Vec6::Zero();
  for (std::size_t i = 0; i < points_m.size(); ++i) {
    const double ratio = closest[i].signed_distance_m / limit_m;
    if (std::abs(ratio) >= 1) continue;
    const double weight = (1 - ratio * ratio) * (1 - ratio * ratio);
    Vec6 row;
    row << (points_m[i] - centre_m).cross(closest[i].normal) / scale_m, closest[i].normal;
    normal_matrix += weight * row * row.transpose();
    right -= weight * closest[i].signed_distance_m * row;
  }
  const Eigen::SelfAdjointEigenSolver<Mat6> solver(normal_matrix);
  Step step;
  for (int k = 0; k < 6; ++k) {
    const double eigenvalue = solver.eigenvalues()[k];
    if (!(eigenvalue > 1e-6 * solver.eigenvalues()[5])) continue;
    const Vec6 direction = solver.eigenvectors().col(k);
    step.motion += direction * (direction.dot(right) / eigenvalue);
    ++step.constrained;
  }
  return step;
}

// x -> R (x - centre) + centre + t of a step.
Eigen::Isometry3d motion_of(const Step& step, const Vec3& centre_m, double scale_m) {
  const Vec3 rotation = step.motion.head<3>() / scale_m;
  const double angle = rotation.norm();
  Eigen::Isometry3d motion = Eigen::Isometry3d::Identity();
  if (angle > 0) motion.linear() = Eigen::AngleAxisd(angle, rotation / angle).toRotationMatrix();
  motion.translation() = centre_m - motion.linear() * centre_m + step.motion.tail<3>();
  return motion;
}

}  // namespace

void check(const AlignOptions& options) {
  if (options.max_iterations < 1) throw Error(ErrorKind::usage, "max_iterations: must be at least 1");
  if (options.max_points < 6) throw Error(ErrorKind::usage, "max_points: must be at least 6");
  if (!(options.converged_m > 0)) throw Error(ErrorKind::usage, "converged_m: must be positive");
}

Alignment align_icp(const PointCloud& cloud, const Surface& truth, const AlignOptions& options) {
  check(options);
  std::vector<Vec3> moved_m = take_evenly(cloud.points_m, options.max_points);
  if (moved_m.size() < 6) {
    throw Error(ErrorKind::method, fmt::format("alignment: needs 6 finite points, got {}", moved_m.size()));
  }
  Alignment alignment;
  Eigen::Isometry3d b_from_a = Eigen::Isometry3d::Identity();
  std::vector<ClosestPoint> closest = closest_to(truth, moved_m);
  alignment.rms_before_m = rms_of(closest);
  while (!alignment.converged && alignment.iterations < options.max_iterations) {
    Vec3 centre_m = Vec3::Zero();
    for (const Vec3& point : moved_m) centre_m += point / static_cast<double>(moved_m.size());
    double squares_m2 = 0;
    for (const Vec3& point : moved_m) squares_m2 += (point - centre_m).squaredNorm();
    const double scale_m = std::max(std::sqrt(squares_m2 / static_cast<double>(moved_m.size())), 1e-9);
    const Step step = solve_step(moved_m, closest, centre_m, scale_m);
    const Eigen::Isometry3d motion = motion_of(step, centre_m, scale_m);
    for (Vec3& point : moved_m) point = motion * point;
    b_from_a = motion * b_from_a;
    closest = closest_to(truth, moved_m);
    alignment.constrained = step.constrained;
    alignment.converged = step.motion.norm() <= options.converged_m;
    ++alignment.iterations;
  }
  alignment.rms_after_m = rms_of(closest);
  alignment.b_from_a = b_from_a.matrix();
  return alignment;
}

}  // namespace aqbench
