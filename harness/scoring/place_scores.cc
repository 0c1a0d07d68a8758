#include "harness/scoring/place_scores.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/parallel.h"
#include "harness/scoring/agreement.h"
#include "metrics/numbers/order_statistics.h"
#include "metrics/point_details.h"
#include "metrics/registry.h"
#include "scenes/optics/distortion.h"
#include "scenes/optics/refractive_camera.h"
#include "scenes/rendering/visibility.h"

namespace aqbench {
namespace {

constexpr double kMillimetresPerMetre = 1e3;

// What one camera says of a corner, in the rig's world frame.
std::optional<Vec3> corner_seen(const Camera& camera, const DepthMap& map, const Vec2& pixel) {
  const auto undistorted = Undistorter(camera.intrinsics).undistort_pixel(pixel);
  if (!undistorted) return std::nullopt;
  const auto depth_m = interpolated_depth_m(map, *undistorted);
  const auto ray = cast_ray(refractive_camera(camera), *undistorted);
  if (!depth_m || !ray) return std::nullopt;
  return point_on_ray(*ray, *depth_m);
}

std::optional<Vec3> corner_of(const BoardCorner& corner, const Reconstruction& output,
                              const MapCalibration& made_with) {
  std::array<std::vector<double>, 3> coordinates;
  for (const auto& [name, pixel] : corner.pixels) {
    const Camera* const camera = find_camera(made_with.rig, name);
    if (camera == nullptr) throw input_error("ChArUco corner {}: there is no camera '{}'", corner.id, name);
    const auto map = std::ranges::find(output.depth_maps, name, &DepthMap::camera);
    if (map == output.depth_maps.end()) continue;
    const auto point_m = corner_seen(*camera, *map, pixel);
    for (int axis = 0; point_m && axis < 3; ++axis)
      coordinates[static_cast<std::size_t>(axis)].push_back((*point_m)[axis]);
  }
  if (coordinates[0].empty()) return std::nullopt;
  Vec3 corner_m;
  for (int axis = 0; axis < 3; ++axis)
    corner_m[axis] = median_in_place(coordinates[static_cast<std::size_t>(axis)]);
  return made_with.to_world(corner_m);
}

constexpr std::size_t kPlanePoints = 16, kFewestPlanePoints = 3;
// Points whose spread across their line is a hundredth of that along it have no plane.
constexpr double kLine = 1e-4;
constexpr double kMmPerMetre = 1e3;

constexpr int kRim_px = 1;  // of a mask, which is itself drawn to a pixel at best

// Whether every mask has the place whose camera's image does.
bool all_have(const std::vector<SeeingCamera>& cameras, const Vec3& place_m, bool& any) {
  for (const SeeingCamera& camera : cameras) {
    const auto seen = project(camera.camera, place_m);
    if (!seen || !camera.lens.takes(seen->pixel)) continue;
    any = true;
    if (!camera.mask->at(distort_pixel(camera.intrinsics, seen->pixel), kRim_px)) return false;
  }
  return true;
}

}  // namespace

BoardSides board_sides(const std::map<int, Vec3>& corners_m, int squares_x) {
  const int columns = squares_x - 1;
  BoardSides sides;
  for (const auto& [id, corner_m] : corners_m)
    for (const int next : {(id + 1) % columns != 0 ? id + 1 : -1, id + columns})
      if (const auto other = corners_m.find(next); other != corners_m.end()) {
        sides.mean_m += (other->second - corner_m).norm();
        ++sides.count;
      }
  if (sides.count > 0) sides.mean_m /= static_cast<double>(sides.count);
  return sides;
}

MetricSet score_board(const Reconstruction& output, const Rig& rig, const BoardTruth& board,
                      const MapCalibration* made_with) {
  const MapCalibration calibration = made_with != nullptr ? *made_with : MapCalibration{rig};
  std::map<int, Vec3> found_m;
  std::vector<Vec3> with_truth_m, true_m;
  for (const BoardCorner& corner : board.corners) {
    const auto corner_m = corner_of(corner, output, calibration);
    if (!corner_m) continue;
    found_m[corner.id] = *corner_m;
    if (!corner.position_m) continue;
    with_truth_m.push_back(*corner_m);
    true_m.push_back(*corner.position_m);
  }
  MetricWriter writer;
  writer.add("charuco_corners", static_cast<double>(found_m.size()));
  const CornerErrors errors = charuco_errors(with_truth_m, true_m);
  const bool any_true = std::ranges::any_of(
      board.corners, [](const BoardCorner& corner) { return corner.position_m.has_value(); });
  const char* const reason = output.depth_maps.empty() ? kNoDepthMaps
                             : !any_true               ? kNoTrueCorners
                                                       : "no corner with a true position was found";
  if (errors.rmse_m)
    writer.add("charuco_rmse_mm", kMillimetresPerMetre * *errors.rmse_m);
  else
    writer.add_undefined("charuco_rmse_mm", reason);
  const BoardSides sides = board_sides(found_m, board.squares_x);
  if (sides.count == 0)
    writer.add_undefined("charuco_scale_pct", output.depth_maps.empty()
                                                  ? kNoDepthMaps
                                                  : "no two corners of one square were found");
  else
    writer.add("charuco_scale_pct", 100 * sides.mean_m / board.square_m);
  return writer.take();
}

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

MetricSet score_masks(const PointCloud& cloud, const Rig& rig) {
  std::vector<SeeingCamera> cameras = seeing_cameras(rig, true);
  std::erase_if(cameras, [](const SeeingCamera& camera) { return camera.mask == nullptr; });
  if (cameras.empty()) return {};
  enum : std::uint8_t { unseen, outside, inside };
  std::vector<std::uint8_t> found(cloud.points_m.size(), unseen);
  parallel_for(found.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      bool any = false;
      const bool all = all_have(cameras, cloud.points_m[i], any);
      if (any) found[i] = all ? inside : outside;
    }
  });
  const auto in = std::ranges::count(found, inside), out = std::ranges::count(found, outside);
  MetricWriter writer;
  if (in + out == 0)
    writer.add_undefined("points_in_masks_pct", "no image with a mask shows a point");
  else
    writer.add("points_in_masks_pct", 100.0 * static_cast<double>(in) / static_cast<double>(in + out));
  return writer.take();
}

}  // namespace aqbench
