#include "harness/scoring/consistency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "scenes/optics/refractive_camera.h"
#include "scenes/optics/rig.h"

namespace aqbench {
namespace {

// The depths of a level plane: from where the ray enters the water to the plane.
DepthMap plane_depths(const Camera& camera, double plane_z_m) {
  DepthMap map{camera.name, camera.intrinsics.width_px, camera.intrinsics.height_px, {}, {}};
  const RefractiveCamera refractive = refractive_camera(camera);
  for (int y = 0; y < map.height; ++y)
    for (int x = 0; x < map.width; ++x) {
      const auto ray = cast_ray(refractive, Vec2(x, y));
      map.depth_along_ray_m.push_back(
          ray ? static_cast<float>((plane_z_m - ray->origin_m[2]) / ray->direction[2]) : NAN);
    }
  return map;
}

double consistency_value(const MetricSet& metrics, const char* name) {
  return find_metric(metrics, name)->value.value_or(-1);
}

TEST(Consistency, IsZeroForTrueDepthsAndTheShiftForWrongOnes) {
  const Rig rig =
      make_rig("single_pair", {{"single_pair", "width", "160"}, {"single_pair", "height", "120"}}, 1);
  std::vector<DepthMap> maps;
  for (const Camera& camera : rig.cameras) maps.push_back(plane_depths(camera, 1.178));
  const MetricSet right = measure_consistency(maps, rig);
  EXPECT_LT(consistency_value(right, "reprojection_median_px"), 1e-3);
  EXPECT_GE(consistency_value(right, "reprojection_median_px"), 0);
  EXPECT_EQ(consistency_value(right, "reprojection_within_1px_pct"), 100);

  // One camera takes the plane 20 mm deeper: a point of the other comes back as one 20 mm deeper on its ray.
  maps[1] = plane_depths(rig.cameras[1], 1.198);
  const RefractiveCamera first = refractive_camera(rig.cameras[0]),
                         second = refractive_camera(rig.cameras[1]);
  const Vec2 middle(80, 60);
  const auto ray = cast_ray(first, middle);
  ASSERT_TRUE(ray);
  const Vec3 point_m = point_on_ray(*ray, (1.178 - ray->origin_m[2]) / ray->direction[2]);
  const auto there = project(second, point_m);
  ASSERT_TRUE(there);
  const auto other = cast_ray(second, there->pixel);
  const Vec3 deeper_m = point_on_ray(*other, (1.198 - other->origin_m[2]) / other->direction[2]);
  const double expected_px = (project(first, deeper_m)->pixel - middle).norm();
  EXPECT_GT(expected_px, 0.3);
  EXPECT_NEAR(consistency_value(measure_consistency(maps, rig), "reprojection_median_px"), expected_px,
              0.2 * expected_px);
}

// Programs write 0 where they have no depth: that is no point at the water's surface.
TEST(Consistency, DepthsOfZeroAreNone) {
  const Rig rig =
      make_rig("single_pair", {{"single_pair", "width", "160"}, {"single_pair", "height", "120"}}, 1);
  std::vector<DepthMap> maps;
  for (const Camera& camera : rig.cameras) {
    maps.push_back(plane_depths(camera, 1.178));
    std::fill_n(maps.back().depth_along_ray_m.begin(), 160 * 60, 0.0F);
  }
  EXPECT_EQ(consistency_value(measure_consistency(maps, rig), "reprojection_within_1px_pct"), 100);
}

TEST(Consistency, IsUndefinedWithAReason) {
  const Rig rig =
      make_rig("single_pair", {{"single_pair", "width", "16"}, {"single_pair", "height", "12"}}, 1);
  EXPECT_EQ(find_metric(measure_consistency({}, rig), "reprojection_median_px")->reason,
            "the method gives no depth maps");
  const std::vector<DepthMap> one = {plane_depths(rig.cameras[0], 1.178)};
  EXPECT_EQ(find_metric(measure_consistency(one, rig), "reprojection_within_1px_pct")->reason,
            "no two depth maps have a depth of the same place");
  const std::vector<DepthMap> small = {{rig.cameras[0].name, 2, 2, std::vector<float>(4, 1), {}}};
  EXPECT_THROW(measure_consistency(small, rig), Error);
}

TEST(Consistency, DepthsBetweenPixelsAreBilinear) {
  const DepthMap map{"a", 2, 2, {1, 2, 3, 4}, {}};
  EXPECT_NEAR(interpolated_depth_m(map, {0.5, 0.25}).value(), 2, 1e-12);
  EXPECT_FALSE(interpolated_depth_m(map, {1.5, 0}));
  for (const float none : {NAN, 0.0F, -1.0F})
    EXPECT_FALSE(interpolated_depth_m({"a", 2, 2, {1, none, 3, 4}, {}}, {0.5, 0.5})) << none;
}

}  // namespace
}  // namespace aqbench
