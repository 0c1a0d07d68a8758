#include "metrics/alignment/align.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/parallel.h"
#include "metrics/neighbours/measurable.h"
#include "metrics/numbers/order_statistics.h"
#include "metrics/score_options.h"

namespace aqbench {
namespace {

constexpr int kMostMotions = 7;  // rotation, translation, scale
using Motion = Eigen::Matrix<double, kMostMotions, 1>;
using MotionMatrix = Eigen::Matrix<double, kMostMotions, kMostMotions>;

// A number that the coordinates decide and that looks random (Vigna's splitmix64).
std::uint64_t mix_bits(const Vec3& point) {
  std::uint64_t state = 0;
  for (const double value : {point.x(), point.y(), point.z()}) {
    state += std::bit_cast<std::uint64_t>(value + 0.0) + 0x9e3779b97f4a7c15;
    state = (state ^ (state >> 30U)) * 0xbf58476d1ce4e5b9;
    state = (state ^ (state >> 27U)) * 0x94d049bb133111eb;
    state ^= state >> 31U;
  }
  return state;
}

// Takes points by their coordinates, so that the order of the cloud does not matter.
std::vector<Vec3> take_some(std::span<const Vec3> points_m, std::size_t at_most) {
  std::vector<std::pair<std::uint64_t, Vec3>> drawn;
  for (const Vec3& point : points_m)
    if (is_measurable(point)) drawn.emplace_back(mix_bits(point), point);
  const auto before = [](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    return std::lexicographical_compare(a.second.begin(), a.second.end(), b.second.begin(), b.second.end());
  };
  if (drawn.size() > at_most) {
    std::ranges::nth_element(drawn, drawn.begin() + static_cast<std::ptrdiff_t>(at_most), before);
    drawn.resize(at_most);
  }
  std::ranges::sort(drawn, before);
  std::vector<Vec3> taken_m;
  for (const auto& [number, point] : drawn) taken_m.push_back(point);
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
  // Rotation about the centre (radians) and growth from it, times the length scale; translation between them.
  Motion motion = Motion::Zero();
  int constrained = 0;
};

// Least squares of signed distances linearised in a small motion about `centre`. Directions in which the
// surface does not resist are not moved along: the pseudo-inverse leaves them at zero.
Step solve_step(const std::vector<Vec3>& points_m, const std::vector<ClosestPoint>& closest,
                const Vec3& centre_m, double scale_m, bool with_scale) {
  const double limit_m = tukey_limit_m(closest);
  MotionMatrix normal_matrix = MotionMatrix::Zero();
  Motion right = Motion::Zero();
  for (std::size_t i = 0; i < points_m.size(); ++i) {
    const double ratio = closest[i].signed_distance_m / limit_m;
    if (std::abs(ratio) >= 1) continue;
    const double weight = (1 - ratio * ratio) * (1 - ratio * ratio);
    const Vec3 from_centre = (points_m[i] - centre_m) / scale_m;
    Motion row;
    row << from_centre.cross(closest[i].normal), closest[i].normal,
        with_scale ? from_centre.dot(closest[i].normal) : 0.0;
    normal_matrix += weight * row * row.transpose();
    right -= weight * closest[i].signed_distance_m * row;
  }
  const Eigen::SelfAdjointEigenSolver<MotionMatrix> solver(normal_matrix);
  Step step;
  for (int k = 0; k < kMostMotions; ++k) {
    const double eigenvalue = solver.eigenvalues()[k];
    if (!(eigenvalue > 1e-6 * solver.eigenvalues()[kMostMotions - 1])) continue;
    const Motion direction = solver.eigenvectors().col(k);
    step.motion += direction * (direction.dot(right) / eigenvalue);
    ++step.constrained;
  }
  return step;
}

// x -> s R (x - centre) + centre + t of a step.
Eigen::Affine3d motion_of(const Step& step, const Vec3& centre_m, double scale_m) {
  const Vec3 rotation = step.motion.head<3>() / scale_m;
  const double angle = rotation.norm();
  Eigen::Affine3d motion = Eigen::Affine3d::Identity();
  if (angle > 0) motion.linear() = Eigen::AngleAxisd(angle, rotation / angle).toRotationMatrix();
  motion.linear() *= std::exp(step.motion[6] / scale_m);
  motion.translation() = centre_m - motion.linear() * centre_m + step.motion.segment<3>(3);
  return motion;
}

Vec3 mean_of(const std::vector<Vec3>& points_m) {
  Vec3 mean_m = Vec3::Zero();
  for (const Vec3& point : points_m) mean_m += point / static_cast<double>(points_m.size());
  return mean_m;
}

Eigen::Matrix3d scatter_of(const std::vector<Vec3>& points_m, const Vec3& mean_m) {
  Eigen::Matrix3d scatter = Eigen::Matrix3d::Zero();
  for (const Vec3& point : points_m) scatter += (point - mean_m) * (point - mean_m).transpose();
  return scatter / static_cast<double>(points_m.size());
}

// Goes from one start to where the cloud stops moving.
Alignment align_from(const Eigen::Affine3d& start, std::vector<Vec3> moved_m, const Surface& truth,
                     const AlignOptions& options) {
  Alignment alignment;
  Eigen::Affine3d b_from_a = start;
  for (Vec3& point : moved_m) point = start * point;
  std::vector<ClosestPoint> closest = closest_to(truth, moved_m);
  while (!alignment.converged && alignment.iterations < options.max_iterations) {
    const Vec3 centre_m = mean_of(moved_m);
    double squares_m2 = 0;
    for (const Vec3& point : moved_m) squares_m2 += (point - centre_m).squaredNorm();
    const double scale_m = std::max(std::sqrt(squares_m2 / static_cast<double>(moved_m.size())), 1e-9);
    const Step step = solve_step(moved_m, closest, centre_m, scale_m, options.scale);
    const Eigen::Affine3d motion = motion_of(step, centre_m, scale_m);
    for (Vec3& point : moved_m) point = motion * point;
    if (!std::ranges::all_of(moved_m, is_measurable)) {  // a scale that grows without end
      alignment.rms_after_m = std::numeric_limits<double>::infinity();
      return alignment;
    }
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

// Centre and principal axes of points.
struct Moments {
  Vec3 centre_m;
  double extent_m;  // root mean square distance from the centre
  Eigen::Matrix3d axes;
};

Moments moments_of(const std::vector<Vec3>& points_m) {
  const Vec3 centre_m = mean_of(points_m);
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(scatter_of(points_m, centre_m));
  return {centre_m, std::sqrt(solver.eigenvalues().sum()), solver.eigenvectors()};
}

// Returns the cloud as it is, and brought to centre, extent and principal axes of the truth in the four ways
// that the signs of axes leave.
std::vector<Eigen::Affine3d> starts_of(const Moments& ours, const Moments& theirs) {
  std::vector<Eigen::Affine3d> starts = {Eigen::Affine3d::Identity()};
  const double scale = theirs.extent_m / ours.extent_m;
  if (!std::isfinite(scale) || !(scale > 0)) return starts;
  for (const double first : {1.0, -1.0}) {
    for (const double second : {1.0, -1.0}) {
      Eigen::Matrix3d from = ours.axes * Vec3(first, second, 1).asDiagonal();
      if ((theirs.axes * from.transpose()).determinant() < 0) from.col(2) *= -1;
      Eigen::Affine3d start = Eigen::Affine3d::Identity();
      start.linear() = scale * theirs.axes * from.transpose();
      start.translation() = theirs.centre_m - start.linear() * ours.centre_m;
      starts.push_back(start);
    }
  }
  return starts;
}

// Returns the start from which a part of the points ends nearest to the surface. Ripples look alike upside
// down and half a wavelength away: between starts that end about equally near, the one whose cloud ends over
// the truth and not beside it is the better one.
Eigen::Affine3d best_start(const std::vector<Vec3>& points_m, const Surface& truth,
                           const AlignOptions& options) {
  constexpr std::size_t kFewPoints = 2000;
  const auto few = static_cast<std::ptrdiff_t>(std::min(kFewPoints, points_m.size()));
  const std::vector<Vec3> some_m(points_m.begin(), points_m.begin() + few);
  const Moments ours = moments_of(some_m),
                theirs = moments_of(truth.stratified_samples(auto_spacing_m(truth, 0), 1).positions_m);
  double least_m = 0;
  std::optional<Eigen::Affine3d> best;
  for (const Eigen::Affine3d& start : starts_of(ours, theirs)) {
    const Alignment reached = align_from(start, some_m, truth, options);
    if (!std::isfinite(reached.rms_after_m)) continue;
    const double scale = std::cbrt(reached.b_from_a.topLeftCorner<3, 3>().determinant());
    const Vec3 centre_m = (reached.b_from_a * ours.centre_m.homogeneous()).head<3>();
    const double beside = (centre_m - theirs.centre_m).norm() / theirs.extent_m;
    // Below a millionth of the extent all are equally near; a cloud that shrinks is no nearer.
    const double near_m = std::max(reached.rms_after_m, 1e-6 * theirs.extent_m) / std::min(scale, 1.0);
    const double left_m = near_m * (1 + beside);
    if (best && !(left_m < least_m)) continue;
    best = start;
    least_m = left_m;
  }
  if (!best) throw Error(ErrorKind::input, "alignment: the cloud's scale grows without end from every start");
  return *best;
}

}  // namespace

void check(const AlignOptions& options) {
  if (options.max_iterations < 1) throw Error(ErrorKind::usage, "max_iterations: must be at least 1");
  if (options.max_points < 6) throw Error(ErrorKind::usage, "max_points: must be at least 6");
  if (!(options.converged_m > 0)) throw Error(ErrorKind::usage, "converged_m: must be positive");
}

Alignment align_icp(const PointCloud& cloud, const Surface& truth, const AlignOptions& options) {
  check(options);
  const std::vector<Vec3> points_m = take_some(cloud.points_m, options.max_points);
  if (points_m.size() < 6) {
    throw Error(ErrorKind::method, fmt::format("alignment: needs 6 finite points, got {}", points_m.size()));
  }
  const Eigen::Affine3d start =
      options.scale ? best_start(points_m, truth, options) : Eigen::Affine3d::Identity();
  const double before_m = rms_of(closest_to(truth, points_m));
  Alignment alignment = align_from(start, points_m, truth, options);
  if (!std::isfinite(alignment.rms_after_m))
    throw Error(ErrorKind::input, "alignment: the cloud moves away from the truth without end");
  alignment.rms_before_m = before_m;
  if (options.scale && alignment.constrained < kMostMotions)
    throw Error(ErrorKind::input,
                fmt::format("alignment: the truth determines {} of the 7 motions of a similarity; an "
                            "alignment without scale moves only along those that it determines",
                            alignment.constrained));
  return alignment;
}

}  // namespace aqbench
