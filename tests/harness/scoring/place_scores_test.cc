#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "core/random.h"
#include "harness/scoring/place_scores.h"
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

// A grid of 1 mm on the plane z = 1.2 + x / 2, 0.1 m wide.
PointCloud tilted_plane() {
  PointCloud cloud;
  for (int i = -50; i <= 50; ++i)
    for (int j = -50; j <= 50; ++j) cloud.points_m.emplace_back(1e-3 * i, 1e-3 * j, 1.2 + 0.5e-3 * i);
  return cloud;
}

double control_value(const MetricSet& metrics, const char* name) {
  return find_metric(metrics, name)->value.value_or(-1);
}

TEST(ControlScore, DistancesAreAcrossTheLocalSurface) {
  // 2 and 4 mm above a slope of 1/2, straight up: 2 and 4 mm x 2 / sqrt(5) across it.
  const double across = 2 / std::sqrt(5.0);
  const ControlTruth control{
      {{"a", {0, 0, 1.202}, 0.001}, {"b", {0.02, 0, 1.214}, 0.004}, {"far", {0.5, 0, 1.2}, 0.001}}, 0.01};
  const MetricSet metrics = score_control_points(tilted_plane(), control);
  EXPECT_EQ(control_value(metrics, "control_points"), 2);
  EXPECT_NEAR(control_value(metrics, "control_mean_mm"), 3 * across, 1e-9);
  EXPECT_NEAR(control_value(metrics, "control_rms_mm"), std::sqrt(10.0) * across, 1e-9);
  EXPECT_NEAR(control_value(metrics, "control_max_mm"), 4 * across, 1e-9);
  EXPECT_NEAR(control_value(metrics, "control_rms_sigmas"), std::sqrt((4 + 1) / 2.0) * across, 1e-9);
}

// Of a surface with a radius of curvature of 50 mm, the points near the place count: a plane through all
// within 10 mm would be 0.5 mm off.
TEST(ControlScore, TheNearestPointsCount) {
  PointCloud cloud;
  for (int i = -100; i <= 100; ++i)
    for (int j = -100; j <= 100; ++j) {
      const double x = 1e-4 * i, y = 1e-4 * j;
      cloud.points_m.emplace_back(x, y, 1.2 + 10 * (x * x + y * y));
    }
  EXPECT_NEAR(*distance_to_local_plane_m(cloud, {0, 0, 1.199}, 0.01), 0.001, 2e-6);
}

// The denser a noisy cloud is, the more of its points lie next to any place: they must not stand for it.
TEST(ControlScore, NoiseOfADenseCloudBringsItNoNearer) {
  constexpr double kNoise = 0.5e-3;
  for (const double spacing : {1e-3, 0.5e-3, 0.2e-3}) {
    PointCloud cloud;
    const int side = static_cast<int>(0.01 / spacing);
    for (int i = -side; i <= side; ++i)
      for (int j = -side; j <= side; ++j) {
        const double z = normal_pair({7, RandomStream::point_noise}, cloud.points_m.size())[0];
        cloud.points_m.emplace_back(spacing * i, spacing * j, 1.2 + kNoise * z);
      }
    // The mean of 16 has a standard deviation of a quarter of the noise.
    EXPECT_NEAR(*distance_to_local_plane_m(cloud, {0, 0, 1.201}, 0.01), 1e-3, 4 * kNoise / 4) << spacing;
  }
}

TEST(ControlScore, WithoutASurfaceItIsUndefinedWithAReason) {
  const ControlTruth control{{{"a", {0, 0, 1.2}, 0.001}}, 0.01};
  PointCloud cloud;
  for (int i = 0; i < 8; ++i) cloud.points_m.emplace_back(1e-3 * i, 0, 1.2);
  for (const PointCloud& one : {PointCloud{}, cloud, PointCloud{{{0, 0, 1.2}, {0, 0.001, 1.2}}, {}, {}}}) {
    const MetricSet metrics = score_control_points(one, control);
    EXPECT_EQ(control_value(metrics, "control_points"), 0);
    EXPECT_FALSE(find_metric(metrics, "control_rms_mm")->value);
    EXPECT_EQ(find_metric(metrics, "control_max_mm")->reason,
              "no control point (of 1) has 3 points of the cloud, not on one line, within 10 mm");
    EXPECT_FALSE(is_never_defined(*find_metric(metrics, "control_rms_mm"))) << "another cloud has one";
  }
}

// Of the left half of an image of 100 x 80 px only.
std::shared_ptr<const PixelMask> left_half() {
  PixelMask mask{100, 80, std::vector<bool>(100 * 80)};
  for (std::size_t i = 0; i < mask.counts.size(); ++i) mask.counts[i] = i % 100 < 50;
  return std::make_shared<const PixelMask>(mask);
}

Rig stereo_with_masks() {
  Rig rig = make_rig("stereo", {{"stereo", "width", "100"}, {"stereo", "height", "80"}}, 1);
  for (Camera& camera : rig.cameras) {
    camera.intrinsics.distortion = {0, 0, 0, 0, 0};
    camera.mask = left_half();
  }
  return rig;
}

// The cameras stand at x = -0.05 and 0.05 m and look along z from 0.8 m: the middles of their images show
// those x at z = 0, and the left halves what is left of them.
TEST(MaskScore, EveryMaskThatSeesAPointMustHaveIt) {
  const Rig rig = stereo_with_masks();
  PointCloud cloud;
  cloud.points_m = {{-0.1, 0, 0}, {0.0, 0, 0}, {0.1, 0, 0}, {0.2, 0, -5}};
  const MetricSet metrics = score_masks(cloud, rig);
  ASSERT_EQ(metrics.size(), 1U);
  EXPECT_EQ(metrics[0].first, "points_in_masks_pct");
  EXPECT_NEAR(metrics[0].second.value.value(), 100.0 / 3, 1e-9) << "the last point is behind both";
}

// x = 0.5 px right of the last pixel of the mask is within its rim of one pixel; 2 px are not.
TEST(MaskScore, ARimOfOnePixelCounts) {
  Rig rig = stereo_with_masks();
  rig.cameras.resize(1);
  const double metres_per_px = 0.8 / rig.cameras[0].intrinsics.K(0, 0);
  PointCloud near, far;
  near.points_m = {{-0.05 + (50.2 - 49.5) * metres_per_px, 0, 0}};
  far.points_m = {{-0.05 + (52 - 49.5) * metres_per_px, 0, 0}};
  EXPECT_EQ(score_masks(near, rig)[0].second.value, 100);
  EXPECT_EQ(score_masks(far, rig)[0].second.value, 0);
}

TEST(MaskScore, WithoutMasksThereIsNoMetricAndWithoutASeenPointNoValue) {
  Rig rig = stereo_with_masks();
  PointCloud behind;
  behind.points_m = {{0, 0, -5}};
  const MetricSet unseen = score_masks(behind, rig);
  EXPECT_FALSE(unseen.at(0).second.value.has_value());
  EXPECT_EQ(std::string(unseen.at(0).second.reason), "no image with a mask shows a point");
  for (Camera& camera : rig.cameras) camera.mask = nullptr;
  EXPECT_TRUE(score_masks(behind, rig).empty());
}

}  // namespace
}  // namespace aqbench
