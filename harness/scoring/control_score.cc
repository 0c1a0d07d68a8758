#include "harness/scoring/control_score.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "metrics/registry.h"

namespace aqbench {
namespace {

constexpr std::size_t kPlanePoints = 16, kFewestPlanePoints = 3;
// Points whose spread across their line is a hundredth of that along it have no plane.
constexpr double kLine = 1e-4;
constexpr double kMmPerMetre = 1e3;

}  // namespace

std::optional<double> distance_to_local_plane_m(const PointCloud& cloud, const Vec3& place_m,
                                                double radius_m) {
  std::vector<Vec3> near_m;
  for (const Vec3& point : cloud.points_m)
    if ((point - place_m).squaredNorm() <= radius_m * radius_m) near_m.push_back(point - place_m);
  if (near_m.size() < kFewestPlanePoints) return std::nullopt;
  Vec3 centre = Vec3::Zero();
  for (const Vec3& point : near_m) centre += point / static_cast<double>(near_m.size());
  Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
  for (const Vec3& point : near_m) spread += (point - centre) * (point - centre).transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(spread);
  if (!(solver.eigenvalues()[1] > kLine * solver.eigenvalues()[2])) return std::nullopt;
  // The points nearest in space would be those whose noise leads them there. Nearness along the plane says
  // nothing of the noise across it.
  const Vec3 normal = solver.eigenvectors().col(0);
  std::vector<std::pair<double, double>> heights_m;  // squared distance along the plane, height across it
  for (const Vec3& point : near_m) {
    const double height = point.dot(normal);
    heights_m.emplace_back((point - height * normal).squaredNorm(), height);
  }
  const std::size_t count = std::min(heights_m.size(), kPlanePoints);
  std::ranges::partial_sort(heights_m, heights_m.begin() + static_cast<std::ptrdiff_t>(count));
  double sum_m = 0;
  for (std::size_t i = 0; i < count; ++i) sum_m += heights_m[i].second;
  return std::abs(sum_m) / static_cast<double>(count);
}

MetricSet score_control_points(const PointCloud& cloud, const ControlTruth& control) {
  std::vector<std::optional<double>> distances_m(control.points.size());
  parallel_for(distances_m.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      distances_m[i] = distance_to_local_plane_m(cloud, control.points[i].position_m, control.radius_m);
  });
  std::size_t found = 0;
  double sum_m = 0, squares_m2 = 0, largest_m = 0, squared_sigmas = 0;
  for (std::size_t i = 0; i < distances_m.size(); ++i) {
    if (!distances_m[i]) continue;
    const double distance_m = *distances_m[i], sigmas = distance_m / control.points[i].sigma_m;
    ++found;
    sum_m += distance_m;
    squares_m2 += distance_m * distance_m;
    squared_sigmas += sigmas * sigmas;
    largest_m = std::max(largest_m, distance_m);
  }
  MetricWriter writer;
  const auto count = static_cast<double>(found);
  writer.add("control_points", count);
  if (found == 0) {
    const std::string reason =
        fmt::format("no control point (of {}) has {} points of the cloud, not on one line, within {:g} mm",
                    control.points.size(), kFewestPlanePoints, kMmPerMetre * control.radius_m);
    writer.add_rest_undefined(ScoreFamily::control, reason);
    return writer.take();
  }
  writer.add("control_mean_mm", kMmPerMetre * sum_m / count);
  writer.add("control_rms_mm", kMmPerMetre * std::sqrt(squares_m2 / count));
  writer.add("control_max_mm", kMmPerMetre * largest_m);
  writer.add("control_rms_sigmas", std::sqrt(squared_sigmas / count));
  return writer.take();
}

}  // namespace aqbench
