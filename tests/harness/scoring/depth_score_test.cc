#include "harness/scoring/depth_score.h"

#include <gtest/gtest.h>

#include <array>

#include "harness/scoring/score_case.h"
#include "scenes/cloud/npy.h"
#include "scenes/optics/refractive_camera.h"
#include "scenes/optics/rig.h"
#include "tests/harness/support.h"

namespace aqbench {
namespace {

std::vector<CameraDepthScore> scores_of(const std::vector<std::optional<double>>& maes) {
  std::vector<CameraDepthScore> scores;
  for (const auto& mae : maes)
    scores.push_back({"cam" + std::to_string(scores.size()),
                      {{"depth_mae_mm", {mae, "mm", Better::lower, mae ? "" : "no pixel has a depth"}},
                       {"depth_fill_rate_pct", {mae ? 50.0 : 0.0, "%", Better::higher, ""}}}});
  return scores;
}

// A method that maps one camera of six does not report that camera's error as its own.
TEST(MedianOverCameras, NeedsAValueOfMoreThanHalf) {
  const std::optional<double> none;
  for (const auto& maes : {std::vector<std::optional<double>>{none, none, 1.5, none, none, none},
                           {1.0, none, 2.0, none, 3.0, none}}) {
    const MetricSet medians = median_over_cameras(scores_of(maes));
    EXPECT_FALSE(medians[0].second.value.has_value());
    EXPECT_TRUE(medians[0].second.reason.starts_with("only ")) << medians[0].second.reason;
    EXPECT_LE(*medians[1].second.value, 25) << "the fill rate counts every camera";
  }
  EXPECT_EQ(median_over_cameras(scores_of({none, none, 1.5, none, none, none}))[0].second.reason,
            "only 1 of 6 cameras have a value");
  const MetricSet most = median_over_cameras(scores_of({1.0, none, 2.0, 4.0, 3.0, none}));
  EXPECT_EQ(*most[0].second.value, 2.5);
  EXPECT_EQ(most[0].second.reason, "");
  const MetricSet nobody = median_over_cameras(scores_of({none, none}));
  EXPECT_EQ(nobody[0].second.reason, "no pixel has a depth");
  EXPECT_TRUE(median_over_cameras({}).empty());
}

// Depths from 0.4 to 0.8 m, and the same read in another unit, with 5 % of noise.
TEST(UnitStep, IsFoundForWrongUnitsAlone) {
  DepthMap truth{"cam0", 100, 1, {}, {}};
  for (int i = 0; i < 100; ++i) truth.depth_along_ray_m.push_back(0.4F + 0.004F * static_cast<float>(i));
  const auto times = [&](double factor) {
    DepthMap map = truth;
    int i = 0;
    for (float& depth : map.depth_along_ray_m)
      depth = static_cast<float>(factor * depth * (++i % 2 == 0 ? 1.05 : 0.95));
    return map;
  };
  for (const double step : {1000.0, 100.0, 10.0, 0.1, 0.01, 0.001})
    EXPECT_EQ(unit_step(times(step), truth), step);
  for (const double scale : {1.0, 0.5, 2.0, 3.7, 30.0, 300.0})
    EXPECT_EQ(unit_step(times(scale), truth), std::nullopt);
  DepthMap none = truth;
  for (float& depth : none.depth_along_ray_m) depth = 0;
  EXPECT_EQ(unit_step(none, truth), std::nullopt);
}

// The depths of a level plane of the true world through a calibration, which has its own frame.
DepthMap plane_through(const Camera& camera, const MapCalibration& calibration, double plane_z_m) {
  DepthMap map{camera.name, camera.intrinsics.width_px, camera.intrinsics.height_px, {}, {}};
  const RefractiveCamera view = refractive_camera(camera);
  for (int y = 0; y < map.height; ++y)
    for (int x = 0; x < map.width; ++x) {
      const auto ray = cast_ray(view, Vec2(x, y));
      const double from_m = calibration.to_world(point_on_ray(*ray, 0)).z(),
                   sinks = calibration.to_world(point_on_ray(*ray, 1)).z() - from_m;
      map.depth_along_ray_m.push_back(static_cast<float>((plane_z_m - from_m) / sinks));
    }
  return map;
}

// Depths that lie on the plane by the calibration that the method had are right, however wrong that is; 2 mm
// below the plane, they are wrong by 2 mm over the cosine of the true ray.
TEST(DepthScore, DepthsGoIntoTheWorldByTheCalibrationOfTheMethod) {
  constexpr double kPlane_m = 1.178;
  const test::TemporaryFolder folder;
  const Rig rig = make_rig("arc6", {{"arc6", "width", "160"}, {"arc6", "height", "120"}}, 1);
  const std::array<std::size_t, 2> shape = {120, 160};
  std::vector<double> slant;
  for (const Camera& camera : rig.cameras) {
    const DepthMap truth = plane_through(camera, {rig}, kPlane_m);
    std::filesystem::create_directories(folder.path() / "truth" / camera.name);
    write_npy(folder.path() / "truth" / camera.name / "depth.npy",
              std::span<const float>(truth.depth_along_ray_m), shape);
    double sum = 0;
    for (const float depth_m : truth.depth_along_ray_m)
      sum += depth_m / (kPlane_m - level_water(rig)->water_z_m);
    slant.push_back(sum / static_cast<double>(truth.depth_along_ray_m.size()));
  }
  for (const CalibrationError& error :
       {CalibrationError{.water_z_m = 0.005}, CalibrationError{.water_z_m = -0.003, .n_water = 0.01},
        CalibrationError{.tilt_deg = 0.5}, CalibrationError{.focal_pct = 0.5}}) {
    const MapCalibration had = wrong_calibration(rig, error).value();
    for (const double below_m : {0.0, 0.002}) {
      std::vector<DepthMap> maps;
      for (const Camera& camera : had.rig.cameras)
        maps.push_back(plane_through(camera, had, kPlane_m + below_m));
      const auto scores =
          score_depth_maps(in_true_cameras(maps, had, rig, folder.path()), rig.cameras, folder.path());
      ASSERT_EQ(scores.size(), rig.cameras.size());
      for (std::size_t i = 0; i < scores.size(); ++i) {
        const auto value = [&](const char* name) { return *find_metric(scores[i].metrics, name)->value; };
        EXPECT_NEAR(value("depth_mae_mm"), 1000 * below_m * slant[i], below_m > 0 ? 0.02 : 1e-3);
        EXPECT_GT(value("depth_fill_rate_pct"), 90);  // a rim of pixels lies outside of the true image
      }
      Reconstruction output;
      output.depth_maps = maps;
      CaseResult result;
      score_depths(output, rig, &had, folder.path(), 0, {.pictures = false}, result);
      EXPECT_EQ(find_metric(result.record.metrics, "depth_fill_rate_pct")->value, 100) << "as the maps are";
    }
  }
  EXPECT_FALSE(wrong_calibration(rig, {}).has_value());
}

// Depths are 50 mm too long and half of them missing where x is above -0.1 m, and the crop ends there.
TEST(DepthScore, OnlyTrueDepthsInTheCropCount) {
  const test::TemporaryFolder folder;
  Rig rig = make_rig("arc6", {{"arc6", "width", "160"}, {"arc6", "height", "120"}}, 1);
  rig.cameras.resize(1);
  const Camera& camera = rig.cameras[0];
  DepthMap map = plane_through(camera, {rig}, 1.178);
  std::filesystem::create_directories(folder.path() / "truth" / camera.name);
  const std::array<std::size_t, 2> shape = {120, 160};
  write_npy(folder.path() / "truth" / camera.name / "depth.npy",
            std::span<const float>(map.depth_along_ray_m), shape);
  Crop crop;
  add_crop(crop, "x:-10,-0.1");
  const RefractiveCamera view = refractive_camera(camera);
  for (std::size_t i = 0; i < map.depth_along_ray_m.size(); ++i) {
    float& depth_m = map.depth_along_ray_m[i];
    const auto ray = cast_ray(view, Vec2(static_cast<double>(i % 160), static_cast<double>(i / 160)));
    if (point_on_ray(*ray, depth_m).x() > -0.1) depth_m = i % 2 == 0 ? 0 : depth_m + 0.05F;
  }
  const auto value = [&](const Crop& of, const char* name) {
    const auto scores = score_depth_maps({&map, 1}, rig.cameras, folder.path(), 0, of);
    return find_metric(scores.at(0).metrics, name)->value.value_or(-1);
  };
  EXPECT_EQ(value(crop, "depth_mae_mm"), 0);
  EXPECT_EQ(value(crop, "depth_fill_rate_pct"), 100);
  EXPECT_GT(value({}, "depth_mae_mm"), 1);
  EXPECT_LT(value({}, "depth_fill_rate_pct"), 99);
}

}  // namespace
}  // namespace aqbench
