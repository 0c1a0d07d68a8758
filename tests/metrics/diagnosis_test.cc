#include "metrics/diagnosis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/error.h"
#include "metrics/cramer_rao.h"
#include "scenes/optics/rig.h"
#include "scenes/registry.h"
#include "scenes/rendering/ray_hit.h"

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
  for (std::size_t i = 0; i < count; ++i) cameras.push_back(refractive_camera(rig.cameras[i], rig.water));
  return cameras;
}

// The true depths of a camera; `offset_m` gives what is added where the ray meets the plane, NaN for none.
template <class Offset>
DepthMap plane_map(const Camera& camera, const WaterInterface& water, Offset offset_m) {
  const RefractiveCamera view = refractive_camera(camera, water);
  DepthMap map{camera.name, view.width_px, view.height_px, {}, {}};
  for (int y = 0; y < view.height_px; ++y)
    for (int x = 0; x < view.width_px; ++x) {
      const auto ray = cast_ray(view, Vec2(x, y));
      const double depth_m = (kPlane_m - ray->origin_m[2]) / ray->direction[2];
      map.depth_along_ray_m.push_back(static_cast<float>(depth_m + offset_m(point_on_ray(*ray, depth_m))));
    }
  return map;
}

// By x: below -0.15 no depth, then wrong ones, then filtered ones, then ones without a point, then covered.
Reconstruction striped(const Rig& rig) {
  Reconstruction result;
  for (const Camera& camera : rig.cameras) {
    if (camera.is_auxiliary) continue;
    result.unfiltered_depth_maps.push_back(plane_map(camera, rig.water, [](const Vec3& p) {
      return p.x() < -0.15 ? kNothing : p.x() < -0.05 ? 0.01F : 0.0F;
    }));
    result.depth_maps.push_back(
        plane_map(camera, rig.water, [](const Vec3& p) { return p.x() < 0.05 ? kNothing : 0.0F; }));
  }
  for (double x = 0.15; x < 0.26; x += 0.001)
    for (double y = -0.16; y < 0.16; y += 0.001) result.cloud.points_m.emplace_back(x, y, kPlane_m);
  return result;
}

double value_of(const Diagnosis& diagnosis, const char* name) {
  const Metric* const metric = find_metric(diagnosis.metrics, name);
  return metric != nullptr && metric->value ? *metric->value : std::nan("");
}

Diagnosis diagnose_plane(const Reconstruction& reconstruction, const Rig& rig) {
  const Scene scene = make_scene("flat_plane", {});
  DiagnosisOptions options;
  options.sample_spacing_m = 0.003;
  return diagnose(reconstruction, renderable_surface(*scene.truth.surface, "flat_plane"), rig, options);
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

TEST(DiagnosisTest, WhatFewerThanTwoCamerasSeeIsNotVisible) {
  const Rig rig = small_ring("ring12", "600");  // sees the middle alone
  Reconstruction nothing = striped(rig);
  nothing.cloud.points_m.clear();
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
  result.depth_maps[3] = plane_map(rig.cameras[3], rig.water, [](const Vec3&) { return 0.001F; });
  const Diagnosis found = diagnose_plane(result, rig);
  // Along the ray, 15 to 30 degrees off the normal.
  EXPECT_GT(value_of(found, "camera_worst_bias_mm"), 0.85);
  EXPECT_LT(value_of(found, "camera_worst_bias_mm"), 1);
  EXPECT_THAT(found.csv, HasSubstr("bias,cam03,-0.9"));
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

}  // namespace
}  // namespace aqbench
