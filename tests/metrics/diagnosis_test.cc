#include "metrics/diagnosis.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "core/error.h"
#include "metrics/point_details.h"
#include "metrics/score.h"
#include "scenes/optics/rig.h"
#include "scenes/registry.h"
#include "scenes/rendering/visibility.h"
#include "scenes/surfaces/mesh_surface.h"

namespace aqbench {
namespace {

using testing::HasSubstr;

constexpr double kPlane_m = 1.178;
constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();

Rig small_ring(const char* rig, const char* focal_px = "0") {
  return make_rig(rig, {{rig, "width", "160"}, {rig, "height", "120"}, {rig, "focal_px", focal_px}}, 1);
}

std::vector<RefractiveCamera> cameras_of(const Rig& rig, std::size_t count) {
  std::vector<RefractiveCamera> cameras;
  for (std::size_t i = 0; i < count; ++i) cameras.push_back(refractive_camera(rig.cameras[i]));
  return cameras;
}

// The true depths of a camera; `offset_m` gives what is added where the ray meets the plane, NaN for none.
template <class Offset>
DepthMap plane_map(const Camera& camera, Offset offset_m, double plane_m = kPlane_m) {
  const RefractiveCamera view = refractive_camera(camera);
  DepthMap map{camera.name, view.width_px, view.height_px, {}, {}};
  for (int y = 0; y < view.height_px; ++y)
    for (int x = 0; x < view.width_px; ++x) {
      const auto ray = cast_ray(view, Vec2(x, y));
      const double depth_m = (plane_m - ray->origin_m[2]) / ray->direction[2];
      map.depth_along_ray_m.push_back(static_cast<float>(depth_m + offset_m(point_on_ray(*ray, depth_m))));
    }
  return map;
}

// By x: below -0.15 no depth, then wrong ones, then filtered ones, then ones without a point, then covered.
Reconstruction striped(const Rig& rig) {
  Reconstruction result;
  for (const Camera& camera : rig.cameras) {
    if (camera.is_auxiliary) continue;
    result.unfiltered_depth_maps.push_back(plane_map(camera, [](const Vec3& p) {
      return p.x() < -0.15 ? kNothing : p.x() < -0.05 ? 0.01F : 0.0F;
    }));
    result.depth_maps.push_back(
        plane_map(camera, [](const Vec3& p) { return p.x() < 0.05 ? kNothing : 0.0F; }));
  }
  for (double x = 0.15; x < 0.26; x += 0.001)
    for (double y = -0.16; y < 0.16; y += 0.001) result.cloud.points_m.emplace_back(x, y, kPlane_m);
  return result;
}

double value_of(const Diagnosis& diagnosis, const char* name) {
  const Metric* const metric = find_metric(diagnosis.metrics, name);
  return metric != nullptr && metric->value ? *metric->value : std::nan("");
}

Score score_of(const Reconstruction& reconstruction, const Surface& truth, const Rig& rig, double spacing_m,
               const ScoredPart& part = {}) {
  ScoreOptions options;
  options.sample_spacing_m = spacing_m;
  options.part = part;
  return score_reconstruction(reconstruction, truth, options, [&](std::span<const Vec3> positions_m) {
    return count_views(truth, rig, positions_m);
  });
}

Diagnosis diagnosis_of(const Reconstruction& reconstruction, const Surface& truth, const Rig& rig,
                       const ScoredPart& part = {}, const MapCalibration* made_with = nullptr) {
  return diagnose(reconstruction, *score_of(reconstruction, truth, rig, 0.003, part).seen, truth, rig, part,
                  made_with);
}

Diagnosis diagnose_plane(const Reconstruction& reconstruction, const Rig& rig) {
  return diagnosis_of(reconstruction, *make_scene("flat_plane", {}).truth.surface, rig);
}

TEST(DiagnosisTest, TellsWhyThereAreHoles) {
  const Diagnosis found = diagnose_plane(striped(small_ring("ring12")), small_ring("ring12"));
  EXPECT_EQ(value_of(found, "holes_not_visible_pct"), 0);
  EXPECT_NEAR(value_of(found, "holes_no_depth_pct"), 20, 2.5);  // a pixel sees 8 mm, so that edges blur
  EXPECT_NEAR(value_of(found, "holes_wrong_depth_pct"), 20, 2.5);
  EXPECT_NEAR(value_of(found, "holes_filtered_pct"), 20, 2.5);
  EXPECT_NEAR(value_of(found, "holes_fused_pct"), 20, 2.5);
  EXPECT_THAT(found.csv, HasSubstr("completeness,12 views,"));
  EXPECT_THAT(found.csv, HasSubstr("bias,cam03,"));
}

// Programs write 0 where they have no depth.
TEST(DiagnosisTest, ADepthOfZeroIsNone) {
  Reconstruction zeros = striped(small_ring("ring12"));
  for (auto* const maps : {&zeros.unfiltered_depth_maps, &zeros.depth_maps})
    for (DepthMap& map : *maps)
      for (float& depth : map.depth_along_ray_m)
        if (std::isnan(depth)) depth = 0;
  const Diagnosis found = diagnose_plane(zeros, small_ring("ring12"));
  EXPECT_NEAR(value_of(found, "holes_no_depth_pct"), 20, 2.5);
  EXPECT_NEAR(value_of(found, "holes_wrong_depth_pct"), 20, 2.5);
  const Diagnosis without = diagnose_plane(striped(small_ring("ring12")), small_ring("ring12"));
  EXPECT_EQ(found.csv, without.csv);
  EXPECT_LT(value_of(found, "camera_worst_bias_mm"), 1e-3);
}

TEST(DiagnosisTest, WhatFewerThanTwoCamerasSeeIsNotVisible) {
  const Rig rig = small_ring("ring12", "600");  // sees the middle alone
  Reconstruction nothing = striped(rig);
  nothing.cloud.points_m = {Vec3(5, 0, kPlane_m)};
  const Diagnosis found = diagnose_plane(nothing, rig);
  EXPECT_GT(value_of(found, "holes_not_visible_pct"), 20);
  double sum = 0;
  for (const char* cause : {"not_visible", "no_depth", "wrong_depth", "filtered", "fused"})
    sum += value_of(found, ("holes_" + std::string(cause) + "_pct").c_str());
  EXPECT_NEAR(sum, 100, 1e-9);
  EXPECT_EQ(find_metric(found.metrics, "crb_ratio")->reason, "no points inside the patch");
}

TEST(DiagnosisTest, FindsTheCameraWithABias) {
  const Rig rig = small_ring("ring12");
  Reconstruction result = striped(rig);
  result.depth_maps[3] = plane_map(rig.cameras[3], [](const Vec3&) { return 0.001F; });
  const Diagnosis found = diagnose_plane(result, rig);
  // Along the ray, 15 to 30 degrees off the normal.
  EXPECT_GT(value_of(found, "camera_worst_bias_mm"), 0.85);
  EXPECT_LT(value_of(found, "camera_worst_bias_mm"), 1);
  EXPECT_THAT(found.csv, HasSubstr("bias,cam03,-0.9"));
}

// A method that maps one camera of many has no worst camera: that one's bias is not the method's.
TEST(DiagnosisTest, OneCameraOfManyIsNotTheWorst) {
  const Rig rig = small_ring("arc6");
  const auto with_maps = [&](std::size_t cameras) {
    Reconstruction result = striped(rig);
    result.depth_maps.resize(cameras);
    result.unfiltered_depth_maps.resize(cameras);
    return diagnose_plane(result, rig);
  };
  for (const std::size_t few : {std::size_t{1}, std::size_t{3}}) {
    const Diagnosis found = with_maps(few);
    const Metric* const worst = find_metric(found.metrics, "camera_worst_bias_mm");
    ASSERT_NE(worst, nullptr);
    EXPECT_FALSE(worst->value.has_value());
    EXPECT_EQ(worst->reason, fmt::format("only {} of 6 cameras have depths inside the patch", few));
    EXPECT_THAT(found.csv, HasSubstr("bias,cam00,")) << "what it is of that camera stays in the table";
  }
  EXPECT_FALSE(std::isnan(value_of(with_maps(4), "camera_worst_bias_mm")));
}

// Over random clouds and rigs, auxiliary cameras among them: the causes of holes sum to what completeness
// leaves, and those of places that two cameras see to what completeness_seen2 leaves of their area.
TEST(DiagnosisTest, HolesAreWhatCompletenessLeaves) {
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> u(0, 1);
  const Scene scene = make_scene("flat_plane", {});
  const PatchHeightField& truth = renderable_surface(*scene.truth.surface, "flat_plane");
  int seen_by_auxiliary_alone = 0;
  for (int draw = 0; draw < 4; ++draw) {
    const char* const name = draw % 3 == 0 ? "arc6" : "ring12";
    Rig rig = small_ring(name, std::to_string(300 + static_cast<int>(700 * u(random))).c_str());
    if (draw % 3 != 0)  // two opposite cameras and the auxiliary one
      std::erase_if(rig.cameras, [](const Camera& camera) {
        return !camera.is_auxiliary && camera.name != "cam00" && camera.name != "cam06";
      });
    Reconstruction cloud = striped(rig);
    std::erase_if(cloud.cloud.points_m, [&](const Vec3&) { return u(random) < 0.5; });
    for (int i = 0; i < 2000; ++i)
      cloud.cloud.points_m.emplace_back(0.5 * u(random) - 0.25, 0.3 * u(random) - 0.15,
                                        kPlane_m + 0.003 * u(random));
    const Score score = score_of(cloud, truth, rig, 0.006);
    const Diagnosis holes = diagnose(cloud, *score.seen, truth, rig);
    const auto completeness = [&](const char* metric) { return *find_metric(score.metrics, metric)->value; };
    double seen_holes = 0, seen_pct = 0;
    for (const char* cause : {"no_depth", "wrong_depth", "filtered", "fused"})
      seen_holes += value_of(holes, ("holes_" + std::string(cause) + "_pct").c_str());
    for (const ViewShare& share : score.by_views)
      if (share.views >= 2) seen_pct += share.surface_pct;
    EXPECT_NEAR(seen_holes + value_of(holes, "holes_not_visible_pct"),
                100 - completeness("completeness_2mm_pct"), 1e-9);
    EXPECT_NEAR(seen_holes, seen_pct * (1 - completeness("completeness_seen2_2mm_pct") / 100), 1e-9) << name;
    const auto with_auxiliary =
        count_views(truth, rig, truth.stratified_samples(0.01, 1).positions_m, {.auxiliary_cameras = true});
    const auto without = count_views(truth, rig, truth.stratified_samples(0.01, 1).positions_m);
    for (std::size_t i = 0; i < without.size(); ++i)
      seen_by_auxiliary_alone += with_auxiliary[i] >= 2 && without[i] < 2 ? 1 : 0;
  }
  EXPECT_GT(seen_by_auxiliary_alone, 0) << "no draw tells who is counted";
}

TEST(DiagnosisTest, RefusesMapsThatDoNotFitTheRig) {
  Reconstruction stranger = striped(small_ring("ring12"));
  stranger.depth_maps[0].camera = "nobody";
  EXPECT_THROW(diagnose_plane(stranger, small_ring("ring12")), Error);
  Reconstruction small = striped(small_ring("ring12"));
  small.depth_maps[0].width = 3;
  EXPECT_THROW(diagnose_plane(small, small_ring("ring12")), Error);
}

// docs/metrics.md: 1 px of noise at the centre, f = 1504.6 px.
TEST(CramerRaoTest, BoundsOfTheRingAreTheDocumentedOnes) {
  const Rig rig = make_rig("ring12", {}, 1);
  const Vec3 centre_m(0, 0, kPlane_m);
  EXPECT_NEAR(*depth_bound_m(cameras_of(rig, 12), centre_m), 0.70e-3, 0.005e-3);
  EXPECT_NEAR(*depth_bound_m(cameras_of(rig, 2), centre_m), 5.9e-3, 0.05e-3);
  EXPECT_FALSE(depth_bound_m(cameras_of(rig, 1), centre_m).has_value());
  EXPECT_FALSE(depth_bound_m(cameras_of(rig, 12), Vec3(5, 0, kPlane_m)).has_value());
}

// All of the plane, reconstructed 0.1 mm too high: by points of full confidence, and by each camera's depths.
Reconstruction too_high(const Rig& rig) {
  Reconstruction result;
  for (const Camera& camera : rig.cameras)
    if (!camera.is_auxiliary)
      result.depth_maps.push_back(plane_map(
          camera, [](const Vec3&) { return 0.0; }, kPlane_m - 1e-4));
  for (double x = -0.25; x < 0.2501; x += 0.002)
    for (double y = -0.15; y < 0.1501; y += 0.002) result.cloud.points_m.emplace_back(x, y, kPlane_m - 1e-4);
  result.cloud.confidence.assign(result.cloud.points_m.size(), 1.0F);
  return result;
}

void expect_a_tenth_of_a_millimetre(const Diagnosis& found, double crb_ratio) {
  EXPECT_EQ(value_of(found, "precision_confident_2mm_pct"), 100);
  EXPECT_NEAR(value_of(found, "camera_worst_bias_mm"), 0.1, 1e-3);
  EXPECT_NEAR(value_of(found, "crb_ratio"), crb_ratio, 0.05 * crb_ratio);
}

// The truth is the half of the plane at x <= 0. What lies beyond its border is not scored, of points and
// depths alike; the ring is symmetric, so that its bound is that of the whole plane.
TEST(DiagnosisTest, OfAPartialTruthIsThatOfTheScoredPart) {
  const Rig rig = small_ring("ring12");
  const Reconstruction result = too_high(rig);
  const double crb_ratio = value_of(diagnose_plane(result, rig), "crb_ratio");
  const TriangleMesh half{
      {{-0.25, -0.15, kPlane_m}, {0, -0.15, kPlane_m}, {0, 0.15, kPlane_m}, {-0.25, 0.15, kPlane_m}},
      {{0, 2, 1}, {0, 3, 2}}};
  const auto truth = make_mesh_surface(half);
  ScoredPart half_alone;
  half_alone.leave_out_beyond_border = true;
  expect_a_tenth_of_a_millimetre(diagnosis_of(result, *truth, rig, half_alone), crb_ratio);
  EXPECT_GT(value_of(diagnosis_of(result, *truth, rig), "camera_worst_bias_mm"), 10) << "everything counts";
}

// Beyond the crop, and farther off than the largest distance, depths and points are 50 mm wrong.
TEST(DiagnosisTest, CropAndLargestDistanceHoldForDepthsAsForPoints) {
  const Rig rig = small_ring("ring12");
  const Scene scene = make_scene("flat_plane", {});
  Reconstruction result = too_high(rig);
  const double crb_ratio = value_of(diagnose_plane(result, rig), "crb_ratio");
  for (DepthMap& map : result.depth_maps) {
    const Camera& camera = *find_camera(rig, map.camera);
    map = plane_map(
        camera, [](const Vec3& p) { return p.x() > 0 ? 0.05 : 0.0; }, kPlane_m - 1e-4);
  }
  for (Vec3& point : result.cloud.points_m)
    if (point.x() > 0) point.z() += 0.05;
  ScoredPart cropped_part, near;
  add_crop(cropped_part.crop, "x:-1,-0.05");
  near.max_distance_m = 0.01;
  const Diagnosis cropped = diagnosis_of(result, *scene.truth.surface, rig, cropped_part);
  expect_a_tenth_of_a_millimetre(cropped, crb_ratio);
  expect_a_tenth_of_a_millimetre(diagnosis_of(result, *scene.truth.surface, rig, near), crb_ratio);
  for (const char* const cause : {"not_visible", "no_depth", "wrong_depth", "filtered", "fused"})
    EXPECT_EQ(value_of(cropped, ("holes_" + std::string(cause) + "_pct").c_str()), 0) << cause;
}

TEST(DiagnosisTest, WithoutTruthInTheCropNothingHasACause) {
  ScoredPart elsewhere;
  add_crop(elsewhere.crop, "x:5,6");
  Reconstruction result = too_high(small_ring("ring12"));
  result.cloud.points_m[0] = Vec3(5.5, 0, kPlane_m);
  const Diagnosis found =
      diagnosis_of(result, *make_scene("flat_plane", {}).truth.surface, small_ring("ring12"), elsewhere);
  EXPECT_EQ(find_metric(found.metrics, "holes_fused_pct")->reason, "no part of the truth lies in the crop");
  EXPECT_TRUE(found.hole_positions_m.empty());
}

// Depths measured from water that is 5 mm too deep, and right there: the calibration that the method had puts
// them onto the plane, the true one does not.
TEST(DiagnosisTest, DepthsGoIntoTheWorldByTheCalibrationOfTheMethod) {
  const Rig rig = small_ring("ring12");
  Rig had = rig;
  WaterInterface water = level_water(had).value();
  water.water_z_m += 0.005;
  set_interface(had, water);
  Reconstruction result;
  for (const Camera& camera : had.cameras)
    if (!camera.is_auxiliary) result.depth_maps.push_back(plane_map(camera, [](const Vec3&) { return 0.0; }));
  result.cloud.points_m = {Vec3(0, 0, kPlane_m)};
  const Scene scene = make_scene("flat_plane", {});
  const MapCalibration made_with{had};
  const Diagnosis right = diagnosis_of(result, *scene.truth.surface, rig, {}, &made_with);
  EXPECT_LT(value_of(right, "camera_worst_bias_mm"), 1e-3);
  EXPECT_EQ(value_of(right, "holes_wrong_depth_pct"), 0);
  const Diagnosis wrong = diagnosis_of(result, *scene.truth.surface, rig);
  EXPECT_GT(value_of(wrong, "camera_worst_bias_mm"), 3);
  EXPECT_GT(value_of(wrong, "holes_wrong_depth_pct"), 90);
}

// Barrel distortion: the cameras' own images reach further than the undistorted ones. What these lose is a
// row of its own in the table, and the metric has both.
TEST(DiagnosisTest, WhatUndistortionLosesIsACauseOfItsOwn) {
  Rig rig = small_ring("ring12", "600");
  for (Camera& camera : rig.cameras) camera.intrinsics.distortion = {-2, 0, 0, 0, 0};
  Reconstruction nothing = striped(rig);
  nothing.cloud.points_m = {Vec3(5, 0, kPlane_m)};
  const Diagnosis found = diagnose_plane(nothing, rig);
  const Scene scene = make_scene("flat_plane", {});
  const Surface& truth = *scene.truth.surface;
  const SurfaceSamples samples = truth.stratified_samples(0.003, 1);
  const std::vector<int> both = count_views(truth, rig, samples.positions_m),
                         own = count_views(truth, rig, samples.positions_m, {.undistorted = false});
  double hidden_m2 = 0, lost_m2 = 0, all_m2 = 0;
  for (std::size_t i = 0; i < both.size(); ++i) {
    all_m2 += samples.weight_m2(i);
    if (both[i] < 2) (own[i] < 2 ? hidden_m2 : lost_m2) += samples.weight_m2(i);
  }
  EXPECT_GT(lost_m2, 0.01 * all_m2);
  EXPECT_NEAR(value_of(found, "holes_not_visible_pct"), 100 * (hidden_m2 + lost_m2) / all_m2, 1e-9);
  EXPECT_THAT(found.csv, HasSubstr(fmt::format("holes,not_visible,{:.6g},%\n", 100 * hidden_m2 / all_m2)));
  EXPECT_THAT(found.csv, HasSubstr(fmt::format("holes,undistortion,{:.6g},%\n", 100 * lost_m2 / all_m2)));
}

}  // namespace
}  // namespace aqbench
