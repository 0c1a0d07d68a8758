#include "scenes/rendering/visibility.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "scenes/optics/rig.h"
#include "scenes/registry.h"
#include "scenes/surfaces/mound.h"
#include "scenes/surfaces/plane.h"
#include "scenes/surfaces/undulating.h"

namespace aqbench {
namespace {

Vec3 on(const HeightField& surface, double x_m, double y_m) { return {x_m, y_m, surface.jet(x_m, y_m).z}; }

TEST(Visibility, EveryRingCameraSeesTheMiddleOfThePlane) {
  const auto plane = make_plane({}, {});
  const Rig rig = make_rig("ring12", {}, 1);
  const std::vector<Vec3> points = {{0, 0, 1.178}, {50, 0, 1.178}};
  EXPECT_EQ(count_views(renderable_surface(*plane, "flat_plane"), rig, points), (std::vector<int>{12, 0}));
  EXPECT_EQ(count_views(renderable_surface(*plane, "flat_plane"), rig, points, {.auxiliary_cameras = true}),
            (std::vector<int>{13, 0}));
}

TEST(Visibility, TheImageEndsWhereItEnds) {
  const auto plane = make_plane({}, {});
  const PatchHeightField& field = renderable_surface(*plane, "flat_plane");
  Rig rig = make_rig("single_pair", {}, 1);
  rig.cameras.resize(1);
  const RefractiveCamera camera = refractive_camera(rig.cameras[0]);
  const auto at_pixel = [&](double u, double v) {
    const WaterRay ray = *cast_ray(camera, {u, v});
    return point_on_ray(ray, 0.2 / ray.direction[2]);
  };
  const std::vector<Vec3> points = {at_pixel(0.01, 600),    at_pixel(-0.01, 600),   at_pixel(1598.99, 600),
                                    at_pixel(1599.01, 600), at_pixel(800, 1198.99), at_pixel(800, 1199.01)};
  EXPECT_EQ(count_views(field, rig, points), (std::vector<int>{1, 0, 1, 0, 1, 0}));
}

// Behind a high narrow mound: a straight walk from the camera's ray says what stands in between.
TEST(Visibility, TheSurfaceHidesItself) {
  const auto mound = make_mound({1.178, 0.15, 0.03, 0, 0}, {});
  const PatchHeightField& field = renderable_surface(*mound, "mound");
  Rig rig = make_rig("ring12", {}, 1);
  std::vector<Vec3> points;
  for (int j = -7; j <= 7; ++j)
    for (int i = -12; i <= 12; ++i) points.push_back(on(*mound, 0.0203 * i, 0.0199 * j));
  const std::vector<int> views = count_views(field, rig, points);
  int hidden = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    int expected = 0;
    for (const Camera& camera : rig.cameras) {
      if (camera.is_auxiliary) continue;
      const RefractiveCamera refractive = refractive_camera(camera);
      const auto projection = project(refractive, points[i]);
      ASSERT_TRUE(projection);
      const Vec2 pixel = projection->pixel;
      if (pixel.x() < 0 || pixel.y() < 0 || pixel.x() > 1599 || pixel.y() > 1199) continue;
      const WaterRay ray = *cast_ray(refractive, pixel);
      bool free = true;
      for (double depth_m = 0; depth_m < projection->depth_along_ray_m - 1e-5; depth_m += 1e-4) {
        const Vec3 p = point_on_ray(ray, depth_m);
        if (mound->jet(p.x(), p.y()).z < p.z()) free = false;
      }
      expected += free;
      hidden += !free;
    }
    EXPECT_EQ(views[i], expected) << points[i].transpose();
  }
  EXPECT_GT(hidden, 50);
}

TEST(Visibility, TheThreadCountChangesNothing) {
  const auto surface = make_undulating({1.178, 0.02, 0.05, 1.3}, {});
  const PatchHeightField& field = renderable_surface(*surface, "undulating");
  const Rig rig = make_rig("ring12", {}, 1);
  std::vector<Vec3> points;
  for (int i = 0; i < 3000; ++i) points.push_back(on(*surface, 0.2 * std::sin(i), 0.1 * std::cos(2.3 * i)));
  set_thread_count(1);
  const std::vector<int> one = count_views(field, rig, points);
  set_thread_count(3);
  EXPECT_EQ(count_views(field, rig, points), one);
  set_thread_count(available_processors());
  EXPECT_LT(*std::ranges::min_element(one), 12) << "steep sides are hidden from some cameras";
}

TEST(Visibility, ACounterOfASceneKeepsItsSurfaceAndAMeshHasNone) {
  const Rig rig = make_rig("sparse4", {}, 1);
  const auto views = view_counter(make_scene("flat_plane", {}), rig);
  ASSERT_TRUE(views);
  EXPECT_EQ(views(std::vector<Vec3>{{0, 0, 1.178}}), std::vector<int>{4});
  const Scene user{"mesh:mine.ply", {}, {}};
  EXPECT_FALSE(view_counter(user, rig));
}

// By formula, without water: a camera at the origin looks down at a plane, so that (x, y, z) has the
// normalised coordinates (x, y) / z; its lens takes them to (x, y) / z (1 + k1 r^2), one to one up to 1 + 3
// k1 r^2 = 0.
TEST(Visibility, IsInTheImageThatWasTakenAndInTheUndistortedOne) {
  constexpr double kFocal_px = 300, kDepth_m = 1.2;
  constexpr int kWidth_px = 640, kHeight_px = 480;
  const auto plane = make_plane({kDepth_m, 0, 0}, {});
  const PatchHeightField& field = renderable_surface(*plane, "flat_plane");
  for (const double k1 : {0.3, 0.0, -0.05, -0.3}) {
    Camera camera;
    camera.name = "cam00";
    camera.intrinsics.width_px = kWidth_px;
    camera.intrinsics.height_px = kHeight_px;
    camera.intrinsics.K << kFocal_px, 0, 320, 0, kFocal_px, 240, 0, 0, 1;
    camera.intrinsics.distortion = {k1, 0, 0, 0, 0};
    Rig rig;
    rig.cameras = {camera};
    WaterInterface water;
    water.n_water = water.n_air;
    set_interface(rig, water);
    std::vector<Vec3> points;
    std::vector<int> taken, both;
    for (double x = -3; x < 3; x += 0.0371)
      for (double y = -2; y < 2; y += 0.0293) {
        points.emplace_back(x, y, kDepth_m);
        const Vec2 plain = Vec2(x, y) / kDepth_m;
        const double r2 = plain.squaredNorm();
        const auto inside = [&](const Vec2& normalised) {
          const Vec2 px = kFocal_px * normalised + Vec2(320, 240);
          return px.x() >= 0 && px.y() >= 0 && px.x() <= kWidth_px - 1 && px.y() <= kHeight_px - 1;
        };
        taken.push_back(1 + 3 * k1 * r2 > 0 && inside(plain * (1 + k1 * r2)) ? 1 : 0);
        both.push_back(taken.back() != 0 && inside(plain) ? 1 : 0);
      }
    EXPECT_EQ(count_views(field, rig, points), both) << k1;
    EXPECT_EQ(count_views(field, rig, points, {.undistorted = false}), taken) << k1;
    EXPECT_EQ(k1<0, std::ranges::count(taken, 1)> std::ranges::count(both, 1)) << k1;
  }
}

}  // namespace
}  // namespace aqbench
