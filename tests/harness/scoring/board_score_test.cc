#include "harness/scoring/board_score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "scenes/optics/distortion.h"
#include "scenes/optics/refractive_camera.h"
#include "scenes/optics/rig.h"

namespace aqbench {
namespace {

constexpr double kBoard_m = 1.178, kSquare_m = 0.02;

// Depth maps of the level plane in which the board lies, all depths `stretch` times as long.
Reconstruction board_depths(const Rig& rig, double stretch) {
  Reconstruction output;
  for (const Camera& camera : rig.cameras) {
    DepthMap map{camera.name, camera.intrinsics.width_px, camera.intrinsics.height_px, {}, {}};
    const RefractiveCamera refractive = refractive_camera(camera);
    for (int y = 0; y < map.height; ++y)
      for (int x = 0; x < map.width; ++x) {
        const auto ray = cast_ray(refractive, Vec2(x, y));
        map.depth_along_ray_m.push_back(
            ray ? static_cast<float>(stretch * (kBoard_m - ray->origin_m[2]) / ray->direction[2]) : NAN);
      }
    output.depth_maps.push_back(std::move(map));
  }
  return output;
}

// 3 x 2 corners of a board of 4 x 3 squares, seen in the cameras' own images.
BoardTruth level_board(const Rig& rig) {
  BoardTruth board{4, kSquare_m, {}};
  for (int id = 0; id < 6; ++id) {
    BoardCorner corner{id, Vec3(kSquare_m * (id % 3), kSquare_m * (id / 3), kBoard_m), {}};
    for (const Camera& camera : rig.cameras) {
      const auto seen = project(refractive_camera(camera), *corner.position_m);
      if (seen) corner.pixels[camera.name] = distort_pixel(camera.intrinsics, seen->pixel);
    }
    board.corners.push_back(std::move(corner));
  }
  return board;
}

double value_of(const MetricSet& metrics, const char* name) {
  return find_metric(metrics, name)->value.value_or(-1);
}

TEST(BoardScore, CornersComeFromDepthsAtTheirPixels) {
  Recording recording;
  recording.rig =
      make_rig("single_pair", {{"single_pair", "width", "160"}, {"single_pair", "height", "120"}}, 1);
  const BoardTruth board = level_board(recording.rig);
  const MetricSet right = score_board(board_depths(recording.rig, 1), recording.rig, board);
  EXPECT_EQ(value_of(right, "charuco_corners"), 6);
  EXPECT_LT(value_of(right, "charuco_rmse_mm"), 0.01);
  EXPECT_NEAR(value_of(right, "charuco_scale_pct"), 100, 0.01);

  // 10 % of some 0.2 m of water deeper: some 20 mm below the board, and the squares are larger.
  const MetricSet deep = score_board(board_depths(recording.rig, 1.1), recording.rig, board);
  EXPECT_NEAR(value_of(deep, "charuco_rmse_mm"), 20, 2);
  EXPECT_GT(value_of(deep, "charuco_scale_pct"), 100);

  const MetricSet none = score_board({}, recording.rig, board);
  EXPECT_EQ(value_of(none, "charuco_corners"), 0);
  EXPECT_THAT(find_metric(none, "charuco_rmse_mm")->reason, testing::HasSubstr("no depth maps"));
  BoardTruth unknown = board;
  unknown.corners[0].pixels["nobody"] = {0, 0};
  EXPECT_THROW(score_board(board_depths(recording.rig, 1), recording.rig, unknown), Error);
}

// Depths from water 5 mm too deep that lie on the board by that calibration: corners are where its rays meet
// the board, worked out here from the rays alone, and not above or below it.
TEST(BoardScore, CornersGoIntoTheWorldByTheCalibrationOfTheMethod) {
  Recording recording;
  recording.rig =
      make_rig("single_pair", {{"single_pair", "width", "160"}, {"single_pair", "height", "120"}}, 1);
  const BoardTruth board = level_board(recording.rig);
  MapCalibration had{recording.rig};
  WaterInterface water = level_water(had.rig).value();
  water.water_z_m += 0.005;
  set_interface(had.rig, water);
  double squares_m2 = 0;
  for (const BoardCorner& corner : board.corners) {
    Vec3 sum_m = Vec3::Zero();
    for (const Camera& camera : had.rig.cameras) {
      const Vec2 pixel = *Undistorter(camera.intrinsics).undistort_pixel(corner.pixels.at(camera.name));
      const auto ray = cast_ray(refractive_camera(camera), pixel);
      sum_m += point_on_ray(*ray, (kBoard_m - ray->origin_m[2]) / ray->direction[2]);
    }
    squares_m2 += (sum_m / 2 - *corner.position_m).squaredNorm();
  }
  const MetricSet found = score_board(board_depths(had.rig, 1), recording.rig, board, &had);
  EXPECT_NEAR(value_of(found, "charuco_rmse_mm"), 1000 * std::sqrt(squares_m2 / 6), 1e-3);
  EXPECT_LT(value_of(found, "charuco_rmse_mm"), 2);
  EXPECT_GT(value_of(score_board(board_depths(had.rig, 1), recording.rig, board), "charuco_rmse_mm"), 3);
}

}  // namespace
}  // namespace aqbench
