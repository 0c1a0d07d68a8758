#include "harness/scoring/board_score.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "core/error.h"
#include "harness/scoring/consistency.h"
#include "metrics/charuco.h"
#include "metrics/numbers/order_statistics.h"
#include "metrics/registry.h"
#include "scenes/optics/distortion.h"
#include "scenes/optics/refractive_camera.h"

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

}  // namespace aqbench
