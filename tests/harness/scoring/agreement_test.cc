#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "core/error.h"
#include "harness/scoring/agreement.h"
#include "scenes/optics/distortion.h"
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

constexpr double kFloor_m = 1.178;

// A texture without a period: sums of waves in three directions.
double texture(double x_m, double y_m) {
  return 0.5 + 0.13 * std::sin(310 * x_m + 17 * y_m) + 0.13 * std::sin(240 * y_m - 83 * x_m + 1) +
         0.13 * std::sin(190 * (x_m + y_m) + 2);
}

// What a camera of this gain takes of the textured level plane, through its lens and the water.
GreyImage image_of_floor(const Camera& camera, float gain) {
  GreyImage image{camera.intrinsics.width_px, camera.intrinsics.height_px, {}};
  const Undistorter undistorter(camera.intrinsics);
  const RefractiveCamera refractive = refractive_camera(camera);
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      const auto undistorted = undistorter.undistort_pixel(Vec2(x, y));
      const auto ray = undistorted ? cast_ray(refractive, *undistorted) : std::nullopt;
      const Vec3 hit =
          ray ? point_on_ray(*ray, (kFloor_m - ray->origin_m[2]) / ray->direction[2]) : Vec3(0, 0, 0);
      image.values.push_back(gain * static_cast<float>(texture(hit.x(), hit.y())));
    }
  return image;
}

PointCloud level_cloud(double z_m) {
  PointCloud cloud;
  for (int i = -20; i <= 20; ++i)
    for (int j = -20; j <= 20; ++j) cloud.points_m.emplace_back(5e-3 * i, 5e-3 * j, z_m);
  return cloud;
}

class Photometric : public testing::Test {
 protected:
  MetricSet measure(const PointCloud& cloud) const {
    return measure_photometric(cloud, rig_, [&](std::size_t camera) {
      return image_of_floor(rig_.cameras[camera], 0.8F + 0.1F * static_cast<float>(camera % 5));
    });
  }
  Rig rig_ = make_rig("ring12", {{"ring12", "width", "320"}, {"ring12", "height", "240"}}, 1);
};

double photometric_value(const MetricSet& metrics, const char* name) {
  return find_metric(metrics, name)->value.value_or(-9);
}

TEST(WindowLikeness, IsTheCorrelationAndNeedsTexture) {
  const std::array<float, 4> a = {0, 0.2F, 0.4F, 0.6F}, same = {0.1F, 0.2F, 0.3F, 0.4F},
                             turned = {0.6F, 0.4F, 0.2F, 0}, flat = {0.5F, 0.5F, 0.5F, 0.5F},
                             mixed = {0.2F, 0, 0.6F, 0.4F};
  EXPECT_NEAR(window_likeness(a, same), 1, 1e-6) << "gain and offset do not count";
  EXPECT_NEAR(window_likeness(a, turned), -1, 1e-6);
  EXPECT_NEAR(window_likeness(a, mixed), 0.6, 1e-6);
  EXPECT_TRUE(std::isnan(window_likeness(a, flat)));
}

TEST_F(Photometric, ImagesAgreeOnTheSurfaceAndNotBelowIt) {
  const MetricSet right = measure(level_cloud(kFloor_m));
  EXPECT_GT(photometric_value(right, "photometric_points"), 1000);
  EXPECT_GT(photometric_value(right, "photometric_zncc_median"), 0.95);
  EXPECT_GT(photometric_value(right, "photometric_agree_pct"), 95);
  const MetricSet deep = measure(level_cloud(kFloor_m + 0.02));
  EXPECT_LT(photometric_value(deep, "photometric_zncc_median"), 0.5);
  EXPECT_LT(photometric_value(deep, "photometric_agree_pct"), 40);
  // A given normal bends the window: one that lies in the plane sees nothing alike.
  PointCloud wrong = level_cloud(kFloor_m);
  wrong.normals.assign(wrong.points_m.size(), Vec3(1, 0, -1).normalized());
  EXPECT_LT(photometric_value(measure(wrong), "photometric_zncc_median"),
            photometric_value(right, "photometric_zncc_median"));
}

// One point on the surface, one 20 mm below it, one beside what any camera sees.
TEST_F(Photometric, EachPointHasItsLikenessAndItsImages) {
  PointCloud cloud;
  cloud.points_m = {{0, 0, kFloor_m}, {0, 0, kFloor_m + 0.02}, {5, 0, kFloor_m}};
  const std::vector<std::uint32_t> index = {2, 0, 1};
  const auto likeness = point_likenesses(
      cloud, index, rig_, [&](std::size_t camera) { return image_of_floor(rig_.cameras[camera], 1); });
  EXPECT_TRUE(std::isnan(likeness[0]));
  EXPECT_GT(likeness[1], 0.95);
  EXPECT_LT(likeness[2], 0.5);
  const std::vector<int> images = images_showing(cloud, index, rig_);
  EXPECT_EQ(images[0], 0);
  EXPECT_EQ(images[1], static_cast<int>(rig_.cameras.size()));
}

// By hand: 12 images of 320 x 240 px have 12 x 20 x 15 squares of 16 px, and a point that all of them see
// lies in 12 of them.
TEST_F(Photometric, CoverageIsTheShareOfSquaresWithAPoint) {
  PointCloud cloud;
  cloud.points_m = {{0, 0, kFloor_m}, {0, 0, kFloor_m}, {5, 0, kFloor_m}, {0, 0, std::nan("")}};
  const MetricSet few = measure(cloud);
  EXPECT_DOUBLE_EQ(photometric_value(few, "photometric_coverage_pct"), 100 * 12 / 3600.0);
  EXPECT_EQ(photometric_value(few, "photometric_cloud_points"), 4);
  EXPECT_GT(photometric_value(measure(level_cloud(kFloor_m)), "photometric_coverage_pct"), 5);
  EXPECT_EQ(photometric_value(measure(PointCloud{}), "photometric_coverage_pct"), 0);
}

TEST_F(Photometric, WhatNoTwoImagesShowIsUndefined) {
  const MetricSet above = measure(level_cloud(0.1));
  EXPECT_EQ(photometric_value(above, "photometric_points"), 0);
  EXPECT_THAT(find_metric(above, "photometric_zncc_median")->reason,
              testing::HasSubstr("no two images show a point of the cloud with some texture"));
  const MetricSet grey = measure_photometric(level_cloud(kFloor_m), rig_, [&](std::size_t) {
    return GreyImage{320, 240, std::vector<float>(320 * 240, 0.5F)};
  });
  EXPECT_EQ(photometric_value(grey, "photometric_points"), 0);
  EXPECT_FALSE(find_metric(grey, "photometric_agree_pct")->value);
}

}  // namespace
}  // namespace aqbench
