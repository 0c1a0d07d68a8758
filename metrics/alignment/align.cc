#include "metrics/alignment/align.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/parallel.h"
#include "metrics/numbers/order_statistics.h"
#include "metrics/score_options.h"
#include "scenes/cloud/measurable.h"

namespace aqbench {
namespace {

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

constexpr int kMaxMotions = 7;  // rotation, translation, scale
constexpr int kMaxIterations = 50;
constexpr double kConverged_m = 1e-9;  // the alignment ends when an iteration moves no point by more
using Motion = Eigen::Matrix<double, kMaxMotions, 1>;
using MotionMatrix = Eigen::Matrix<double, kMaxMotions, kMaxMotions>;

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
  std::vector<Motion> resisted;  // unit motions that the surface resists
  double stiffest = 0;           // mean square distance that a unit motion makes at most
};

// Least squares of signed distances linearised in a small motion about `centre`; with a scale, of distances
// in units of the cloud as given, so that noise does not make it shrink. Directions in which the surface does
// not resist are not moved along: the pseudo-inverse leaves them at zero.
Step solve_step(const std::vector<Vec3>& points_m, const std::vector<ClosestPoint>& closest, double limit_m,
                const Vec3& centre_m, double scale_m, bool with_scale) {
  MotionMatrix normal_matrix = MotionMatrix::Zero();
  Motion right = Motion::Zero();
  for (std::size_t i = 0; i < points_m.size(); ++i) {
    const double ratio = closest[i].signed_distance_m / limit_m;
    if (std::abs(ratio) >= 1) continue;
    const double weight = (1 - ratio * ratio) * (1 - ratio * ratio);
    const Vec3 from_centre = (points_m[i] - centre_m) / scale_m;
    Motion row;
    row << from_centre.cross(closest[i].normal), closest[i].normal,
        with_scale ? from_centre.dot(closest[i].normal) - closest[i].signed_distance_m / scale_m : 0.0;
    normal_matrix += weight * row * row.transpose();
    right -= weight * closest[i].signed_distance_m * row;
  }
  const Eigen::SelfAdjointEigenSolver<MotionMatrix> solver(normal_matrix);
  Step step;
  for (int k = 0; k < kMaxMotions; ++k) {
    const double eigenvalue = solver.eigenvalues()[k];
    if (!(eigenvalue > 1e-6 * solver.eigenvalues()[kMaxMotions - 1])) continue;
    const Motion direction = solver.eigenvectors().col(k);
    step.motion += direction * (direction.dot(right) / eigenvalue);
    step.resisted.push_back(direction);
  }
  step.stiffest = solver.eigenvalues()[kMaxMotions - 1] / static_cast<double>(points_m.size());
  return step;
}

// x -> s R (x - centre) + centre + t of a motion.
Eigen::Affine3d transform_of(const Motion& moved, const Vec3& centre_m, double scale_m) {
  const Vec3 rotation = moved.head<3>() / scale_m;
  const double angle = rotation.norm();
  Eigen::Affine3d motion = Eigen::Affine3d::Identity();
  if (angle > 0) motion.linear() = Eigen::AngleAxisd(angle, rotation / angle).toRotationMatrix();
  motion.linear() *= std::exp(moved[6] / scale_m);
  motion.translation() = centre_m - motion.linear() * centre_m + moved.segment<3>(3);
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

// A cloud on its way to the truth.
struct Pose {
  Eigen::Affine3d b_from_a = Eigen::Affine3d::Identity();
  std::vector<Vec3> points_m;
  std::vector<ClosestPoint> closest;

  double scale() const { return std::cbrt(b_from_a.linear().determinant()); }
};

// Returns the pose moved on; nothing where coordinates leave what can be measured.
std::optional<Pose> moved_on(const Pose& from, const Eigen::Affine3d& motion, const Surface& truth) {
  Pose pose{motion * from.b_from_a, from.points_m, {}};
  for (Vec3& point : pose.points_m) point = motion * point;
  if (!std::ranges::all_of(pose.points_m, is_measurable)) return std::nullopt;
  pose.closest = closest_to(truth, pose.points_m);
  return pose;
}

// The mean of Tukey's loss in square metres of the cloud as given: a cloud that shrinks comes no nearer.
double loss_of(const Pose& pose, double limit_m) {
  double sum = 0;
  for (const ClosestPoint& point : pose.closest) {
    const double ratio = std::min(std::abs(point.signed_distance_m) / limit_m, 1.0);
    const double left = 1 - ratio * ratio;
    sum += 1 - left * left * left;
  }
  return sum / static_cast<double>(pose.closest.size()) * limit_m * limit_m / (pose.scale() * pose.scale());
}

// A step about the centre of the points, in units of their extent.
struct CentredStep {
  Vec3 centre_m;
  double scale_m = 0;  // root mean square distance from the centre
  double limit_m = 0;  // Tukey's
  Step step;
};

CentredStep next_step(const Pose& pose, bool with_scale) {
  CentredStep next{.centre_m = mean_of(pose.points_m), .step = {}};
  double squares_m2 = 0;
  for (const Vec3& point : pose.points_m) squares_m2 += (point - next.centre_m).squaredNorm();
  next.scale_m = std::max(std::sqrt(squares_m2 / static_cast<double>(pose.points_m.size())), 1e-9);
  next.limit_m = tukey_limit_m(pose.closest);
  next.step = solve_step(pose.points_m, pose.closest, next.limit_m, next.centre_m, next.scale_m, with_scale);
  return next;
}

// Takes the step, or the first of a half, a quarter and so on of it that brings the cloud no farther away:
// from far away the surface is not as flat as the step takes it for. Returns nothing where none does.
std::optional<Pose> take_step(const Pose& pose, const CentredStep& next, const Surface& truth) {
  constexpr int kHalves = 6;
  const double before = loss_of(pose, next.limit_m);
  for (int half = 0; half <= kHalves; ++half) {
    const Motion motion = next.step.motion * std::ldexp(1.0, -half);
    auto moved = moved_on(pose, transform_of(motion, next.centre_m, next.scale_m), truth);
    if (!moved) continue;
    if (motion.norm() <= kConverged_m || loss_of(*moved, next.limit_m) <= before) return moved;
  }
  return std::nullopt;
}

// Returns how many motions move the cloud off the surface, also by a twentieth of its extent: the normals of
// a sphere of facets, or of a noisy scan of one, seem to resist a turn that changes nothing.
int count_determined(const Pose& pose, const CentredStep& next, const Surface& truth) {
  constexpr double kShare = 0.05, kLeast = 1e-5;
  const double length_m = kShare * next.scale_m, rms_m = rms_of(pose.closest);
  int determined = 0;
  for (const Motion& direction : next.step.resisted) {
    double grown_m2 = 0;
    for (const double sign : {1.0, -1.0}) {
      const auto moved =
          moved_on(pose, transform_of(sign * length_m * direction, next.centre_m, next.scale_m), truth);
      const double moved_rms_m = moved ? rms_of(moved->closest) : std::numeric_limits<double>::infinity();
      grown_m2 += (moved_rms_m * moved_rms_m - rms_m * rms_m) / 2;
    }
    if (grown_m2 > kLeast * next.step.stiffest * length_m * length_m) ++determined;
  }
  return determined;
}

// Goes from one start to where the cloud stops moving.
Alignment align_from(const Eigen::Affine3d& start, std::span<const Vec3> points_m, const Surface& truth,
                     bool with_scale) {
  Alignment alignment;
  std::optional<Pose> pose =
      moved_on({Eigen::Affine3d::Identity(), {points_m.begin(), points_m.end()}, {}}, start, truth);
  if (!pose) {
    alignment.rms_after_m = std::numeric_limits<double>::infinity();
    return alignment;
  }
  CentredStep next = next_step(*pose, with_scale);
  while (!alignment.converged && alignment.iterations < kMaxIterations) {
    auto moved = take_step(*pose, next, truth);
    ++alignment.iterations;
    alignment.converged = !moved || next.step.motion.norm() <= kConverged_m;
    if (!moved) break;
    pose = std::move(moved);
    next = next_step(*pose, with_scale);
  }
  alignment.constrained =
      with_scale ? count_determined(*pose, next, truth) : static_cast<int>(next.step.resisted.size());
  alignment.rms_after_m = rms_of(pose->closest);
  alignment.b_from_a = pose->b_from_a.matrix();
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

// Returns where a part of the points ends nearest to the surface. Ripples look alike upside
// down and half a wavelength away: between starts that end about equally near, the one whose cloud ends over
// the truth and not beside it is the better one.
Eigen::Affine3d best_start(const std::vector<Vec3>& points_m, const Surface& truth) {
  constexpr std::size_t kFewPoints = 2000;
  const auto few = static_cast<std::ptrdiff_t>(std::min(kFewPoints, points_m.size()));
  const std::vector<Vec3> some_m(points_m.begin(), points_m.begin() + few);
  const Moments ours = moments_of(some_m),
                theirs = moments_of(truth.stratified_samples(auto_spacing_m(truth, 0), 1).positions_m);
  double least_m = 0;
  std::optional<Eigen::Affine3d> best;
  for (const Eigen::Affine3d& start : starts_of(ours, theirs)) {
    const Alignment reached = align_from(start, some_m, truth, true);
    if (!std::isfinite(reached.rms_after_m)) continue;
    const double scale = std::cbrt(reached.b_from_a.topLeftCorner<3, 3>().determinant());
    const Vec3 centre_m = (reached.b_from_a * ours.centre_m.homogeneous()).head<3>();
    const double beside = (centre_m - theirs.centre_m).norm() / theirs.extent_m;
    // Below a millionth of the extent all are equally near; a cloud that shrinks is no nearer.
    const double near_m = std::max(reached.rms_after_m, 1e-6 * theirs.extent_m) / std::min(scale, 1.0);
    const double left_m = near_m * (1 + beside);
    if (best && !(left_m < least_m)) continue;
    best = Eigen::Affine3d(reached.b_from_a);
    least_m = left_m;
  }
  if (!best) throw Error(ErrorKind::input, "alignment: the cloud's scale grows without end from every start");
  return *best;
}

}  // namespace

std::vector<Vec3> draw_points(std::span<const Vec3> points_m, std::size_t at_most) {
  std::vector<std::pair<std::uint64_t, Vec3>> drawn;
  for (const Vec3& point : points_m)
    if (is_measurable(point)) drawn.emplace_back(mix_bits(point), point);
  const auto before = [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : comes_before(a.second, b.second);
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

Alignment align_icp(const PointCloud& cloud, const Surface& truth, const AlignOptions& options) {
  const std::vector<Vec3> points_m = draw_points(cloud.points_m, options.max_points);
  if (points_m.size() < 6) throw input_error("alignment: needs 6 finite points, got {}", points_m.size());
  const Eigen::Affine3d start = options.scale ? best_start(points_m, truth) : Eigen::Affine3d::Identity();
  const double before_m = rms_of(closest_to(truth, points_m));
  Alignment alignment = align_from(start, points_m, truth, options.scale);
  alignment.rms_before_m = before_m;
  const double scale = std::cbrt(alignment.b_from_a.topLeftCorner<3, 3>().determinant());
  if (!(alignment.rms_after_m <= std::max(before_m, 1e-9) * std::max(scale, 1.0)))
    throw input_error(
        "alignment: ends farther from the truth than it began, {:.4g} "
        "mm for {:.4g} mm: it starts too far away",
        alignment.rms_after_m * 1000, before_m * 1000);
  if (options.scale && alignment.constrained < kMaxMotions)
    throw input_error(
        "alignment: the truth determines {} of the 7 motions of a similarity; an "
        "alignment without scale moves only along those that it determines",
        alignment.constrained);
  return alignment;
}

}  // namespace aqbench
