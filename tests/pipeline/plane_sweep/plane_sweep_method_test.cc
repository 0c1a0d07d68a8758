#include "pipeline/plane_sweep/plane_sweep_method.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/error.h"
#include "pipeline/depth_maps/depth_maps.h"
#include "scenes/cloud/npy.h"
#include "scenes/dataset/dataset.h"
#include "scenes/optics/calibration_file.h"
#include "tests/core/error_matcher.h"
#include "tests/core/on_threads.h"
#include "tests/pipeline/orbit_scene.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::HasSubstr;

// A ring that looks closely at the middle: a pixel sees 2 mm.
void write_small_dataset(const std::filesystem::path& dir, const std::string& imaging) {
  DatasetRequest request;
  request.scene = "undulating";
  request.imaging = imaging;
  request.width_px = 160;
  request.overrides = {{"ring12", "focal_px", "600"}, {"undulating", "base_depth_m", "1.178"}};
  request.mesh_pitch_m = 0.01;
  write_dataset(plan_dataset(request), dir);
}

MethodInput small_input(std::vector<Override> overrides = {}) {
  MethodInput input;
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"depths", "48"},
                                                        {"window", "7"},
                                                        {"voxel_m", "0.002"},
                                                        {"surface", "heightfield"},
                                                        {"depth_range_m", "0.17:0.27"}})
    overrides.insert(overrides.begin(), {"plane_sweep", name, value});
  input.parameters = resolve_parameters("plane_sweep", plane_sweep_parameters(), overrides);
  return input;
}

double median_error_mm(const DepthMap& map, const std::filesystem::path& dir) {
  const auto truth = std::get<std::vector<float>>(read_npy(dir / "truth" / map.camera / "depth.npy").values);
  std::vector<double> errors_mm;
  for (std::size_t i = 0; i < truth.size(); ++i)
    if (std::isfinite(map.depth_along_ray_m[i]) && std::isfinite(truth[i]))
      errors_mm.push_back(1e3 * std::abs(map.depth_along_ray_m[i] - truth[i]));
  if (errors_mm.empty()) return std::nan("");
  std::ranges::nth_element(errors_mm, errors_mm.begin() + static_cast<std::ptrdiff_t>(errors_mm.size() / 2));
  return errors_mm[errors_mm.size() / 2];
}

std::ptrdiff_t depths_in(const DepthMap& map) {
  return std::ranges::count_if(map.depth_along_ray_m, [](float depth_m) { return std::isfinite(depth_m); });
}

TEST(PlaneSweepMethod, ReconstructsARippledSurfaceTheSameForAnyThreadCount) {
  const TemporaryDirectory dir;
  write_small_dataset(dir.path() / "data", "default");
  const auto [one, three] =
      on_threads<1, 3>([&] { return run_plane_sweep({dir.path() / "data"}, small_input()); });
  ASSERT_EQ(one.depth_maps.size(), 12U);  // none for the auxiliary camera
  ASSERT_EQ(one.unfiltered_depth_maps.size(), 12U);
  for (std::size_t i = 0; i < one.depth_maps.size(); ++i) {
    EXPECT_LT(median_error_mm(one.depth_maps[i], dir.path() / "data"), 0.5) << i;
    EXPECT_GT(depths_in(one.depth_maps[i]), 160 * 120 / 2) << i;
    EXPECT_GE(depths_in(one.unfiltered_depth_maps[i]), depths_in(one.depth_maps[i])) << i;
  }
  EXPECT_GT(one.cloud.points_m.size(), 5000U);
  EXPECT_TRUE(one.mesh.has_value());
  EXPECT_EQ(one.cloud.points_m, three.cloud.points_m);
  const std::map<std::string, double> effective(one.effective.begin(), one.effective.end());
  EXPECT_EQ(effective.at("window_px"), 7);
  EXPECT_GE(effective.at("voxel_m"), 0.25 * effective.at("footprint_m"));
  EXPECT_LT(effective.at("depth_min_m"), effective.at("depth_max_m"));
  EXPECT_EQ(one.effective, three.effective);
}

TEST(PlaneSweepMethod, FindsTheSameInNationalCoordinates) {
  const TemporaryDirectory dir;
  write_small_dataset(dir.path() / "data", "default");
  const Reconstruction here = run_plane_sweep({dir.path() / "data"}, small_input());
  const Vec3 away_m(512'345.6, 5'432'100.7, 321.8);  // single precision has half metres there
  const std::filesystem::path file = dir.path() / "data" / "calibration.json";
  Rig rig = read_calibration(file);
  WaterInterface water = *level_water(rig);
  water.water_z_m += away_m.z();
  set_interface(rig, water);
  for (Camera& camera : rig.cameras)
    camera.camera_from_world.translation_m -= camera.camera_from_world.rotation * away_m;
  write_calibration(file, rig, {});
  const Reconstruction there = run_plane_sweep({dir.path() / "data"}, small_input());
  const auto mean = [](const std::vector<Vec3>& points_m) -> Vec3 {
    return std::accumulate(points_m.begin(), points_m.end(), Vec3(0, 0, 0)) / points_m.size();
  };
  const auto count = static_cast<double>(here.cloud.points_m.size());
  EXPECT_NEAR(static_cast<double>(there.cloud.points_m.size()), count, 0.01 * count);
  const Vec3 cloud_moved_m = mean(there.cloud.points_m) - mean(here.cloud.points_m) - away_m;
  EXPECT_LT(cloud_moved_m.norm(), 0.003);  // points on the cloud's edge may differ
  EXPECT_LT(std::abs(cloud_moved_m.z()), 1e-4);
  EXPECT_LT((mean(there.mesh->vertices_m) - mean(here.mesh->vertices_m) - away_m).norm(), 0.003);
}

TEST(PlaneSweepMethod, FailsWithItsReasonWithoutTexture) {
  const TemporaryDirectory dir;
  write_small_dataset(dir.path() / "data", "textureless");
  EXPECT_THAT(error_of(ErrorKind::method, [&] { run_plane_sweep({dir.path() / "data"}, small_input()); }),
              HasSubstr("too little texture"));
  const auto error_with_range = [&](ErrorKind kind, const char* range) {
    const MethodInput input = small_input({{"plane_sweep", "depth_range_m", range}});
    return error_of(kind, [&] { run_plane_sweep({dir.path() / "data"}, input); });
  };
  EXPECT_THAT(error_with_range(ErrorKind::method, ""), HasSubstr("no depth range"));
  for (const char* const wrong : {"0.1", "0.3:0.1", "-1:2", "0.1:0.2:0.3", "0.1:1e4", "0.1:nan"})
    EXPECT_THAT(error_with_range(ErrorKind::usage, wrong), HasSubstr("expected LOW:HIGH in metres"));
}

TEST(PlaneSweepMethod, FindsItsDepthRangeInTheImages) {
  const TemporaryDirectory dir;
  write_small_dataset(dir.path() / "data", "clean");
  const MethodInput input = small_input({{"plane_sweep", "refinements", "0"},
                                         {"plane_sweep", "surface", "none"},
                                         {"plane_sweep", "depth_range_m", ""}});
  const Reconstruction found = run_plane_sweep({dir.path() / "data"}, input);
  EXPECT_LT(median_error_mm(found.depth_maps[0], dir.path() / "data"), 2);
  EXPECT_FALSE(found.mesh.has_value());
}

// The sweep of an image 1280 px wide is coarse, and its refinements see ripples that a sweep smooths.
TEST(PlaneSweepMethod, SweepsWideImagesCoarselyAndRefinesThem) {
  const TemporaryDirectory dir;
  DatasetRequest request;
  request.scene = "undulating";
  request.imaging = "clean";
  request.width_px = 1280;
  request.height_px = 96;
  request.mesh_pitch_m = 0.01;
  write_dataset(plan_dataset(request), dir.path() / "data");
  const auto [one, three] = on_threads<1, 3>([&] {
    return run_plane_sweep({dir.path() / "data"}, small_input({{"plane_sweep", "surface", "none"},
                                                               {"plane_sweep", "refinements", "1"}}));
  });
  ASSERT_EQ(one.unfiltered_depth_maps.size(), 12U);
  for (const DepthMap& map : one.unfiltered_depth_maps) {
    EXPECT_EQ(map.width, 1280);
    EXPECT_EQ(map.height, 96);
    EXPECT_GT(depths_in(map), 10'000) << map.camera;  // its strip crosses that of others there
    EXPECT_LT(median_error_mm(map, dir.path() / "data"), 0.25) << map.camera;
  }
  EXPECT_EQ(one.cloud.points_m, three.cloud.points_m);
}

TEST(WindowOfWidth, SeesAsMuchOfTheSceneInSmallImages) {
  EXPECT_EQ(window_of_width(11, 1600), 11);
  EXPECT_EQ(window_of_width(7, 1600), 7);
  EXPECT_EQ(window_of_width(11, 1000), 7);   // 6.9 px
  EXPECT_EQ(window_of_width(15, 1200), 11);  // 11.25 px
  EXPECT_EQ(window_of_width(11, 160), 7);    // the least
  EXPECT_EQ(window_of_width(15, 8000), plane_sweep::kMaxWindow_px);
  for (int width_px = 100; width_px < 4000; width_px += 7)
    EXPECT_EQ(window_of_width(11, width_px) % 2, 1) << width_px;
}

TEST(PlaneSweepMethod, WiderImagesAreRefinedMoreOften) {
  EXPECT_EQ(refinements_of_width(2, 320), 2);
  EXPECT_EQ(refinements_of_width(5, 1600), 5);
  EXPECT_EQ(refinements_of_width(1, 2400), 2);  // 1.5
  EXPECT_EQ(refinements_of_width(5, 3200), 10);
  EXPECT_EQ(refinements_of_width(0, 3200), 0);
}

TEST(CameraDepths, RefusesRigsWithoutDepthMaps) { EXPECT_THROW(estimate_depths({}, {}, {}), Error); }

// Cameras all around an object, without water and without a hand-set range.
TEST(PlaneSweepMethod, CoversWhatAnOrbitSeesWell) {
  const orbit_testing::OrbitScene& scene = orbit_testing::orbit();
  MethodInput input;
  input.parameters =
      resolve_parameters("plane_sweep", plane_sweep_parameters(), {{"plane_sweep", "surface", "none"}});
  const Reconstruction made = run_plane_sweep({scene.dir}, input);
  const orbit_testing::Coverage coverage = orbit_testing::coverage_of(scene, made.cloud.points_m, 4);
  const double rmse_footprints = orbit_testing::rmse_m(scene, made.cloud.points_m) / scene.footprint_m;
  RecordProperty("whole_pct", std::to_string(coverage.whole_pct));
  RecordProperty("well_seen_pct", std::to_string(coverage.well_seen_pct));
  RecordProperty("well_seen_share_pct", std::to_string(coverage.well_seen_share_pct));
  RecordProperty("rmse_footprints", std::to_string(rmse_footprints));
  EXPECT_GE(coverage.well_seen_pct, 95) << "whole surface: " << coverage.whole_pct;
  EXPECT_GE(coverage.well_seen_share_pct, 60);
  EXPECT_LE(rmse_footprints, 1);
}

}  // namespace
}  // namespace aqbench
