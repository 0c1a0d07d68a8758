// Rays against surfaces by formula: the oracle walks along the ray in small steps and bisects the first
// change of sign, using heights alone.
#include "scenes/rendering/visibility.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "scenes/optics/rig.h"
#include "scenes/registry.h"
#include "scenes/surfaces/mesh_surface.h"
#include "scenes/surfaces/ripples/ripple_field.h"
#include "scenes/surfaces/shapes.h"
#include "tests/core/error_matcher.h"
#include "tests/core/on_threads.h"
#include "tests/scenes/optics/optics_fixtures.h"
#include "tests/scenes/surfaces/known_fields.h"

namespace aqbench {
namespace {

using aqbench::optics_testing::ray_along;
using surface_testing::NamedField;
using surface_testing::patch_field;
using surface_testing::registered_fields;

// Every registered scene, and shapes so steep that oblique rays may meet them several times.
std::vector<NamedField> fields() {
  RippleOptions ripples;
  ripples.rms_m = 0.006;
  std::vector<NamedField> fields = registered_fields();
  fields.push_back({"tilted both ways", patch_field(make_plane({1.178, 0.4, -0.3}, {}))});
  fields.push_back({"steep undulating", patch_field(make_undulating({1.178, 0.02, 0.06, 1.3}, {}))});
  fields.push_back({"steep step", patch_field(make_step({1.178, 0.05, 0.02, 0.01}, {}))});
  fields.push_back({"steep mound", patch_field(make_mound({1.178, 0.08, 0.03, 0.0, 0.0}, {}))});
  fields.push_back({"steep ripples", patch_field(make_ripple_field(make_ripples(ripples), {}))});
  return fields;
}

double gap_m(const HeightField& surface, const WaterRay& ray, double depth_m) {
  const Vec3 p = point_on_ray(ray, depth_m);
  return surface.jet(p.x(), p.y()).z - p.z();
}

// NaN if there is no meeting up to `to_m`. Two meetings within `step_m` of each other are overlooked.
double walked_hit_m(const HeightField& surface, const WaterRay& ray, double to_m, double step_m) {
  double before_m = 0;
  for (double at_m = step_m; at_m <= to_m; at_m += step_m) {
    if (gap_m(surface, ray, at_m) <= 0) {
      double low_m = before_m, high_m = at_m;
      for (int i = 0; i < 60; ++i) {
        const double middle_m = (low_m + high_m) / 2;
        (gap_m(surface, ray, middle_m) > 0 ? low_m : high_m) = middle_m;
      }
      return (low_m + high_m) / 2;
    }
    before_m = at_m;
  }
  return std::nan("");
}

WaterRay random_ray(std::mt19937_64& generator, double steepest_tangent) {
  std::uniform_real_distribution<double> place(-0.3, 0.3), angle(0, 6.283185307179586),
      tangent(0, steepest_tangent);
  const double a = angle(generator), t = tangent(generator);
  const double x = place(generator), y = place(generator);
  return ray_along({x, y, 0.978}, {t * std::cos(a), t * std::sin(a), 1});
}

TEST(RayHit, DepthAgreesWithBisectionWithinANanometre) {
  for (const NamedField& field : fields()) {
    std::mt19937_64 generator(7);  // the same rays however many fields there are
    const RayHitter hitter(*field.field);
    for (int i = 0; i < 150; ++i) {
      const WaterRay ray = random_ray(generator, 1.1);  // as steep as light enters water
      if (gap_m(*field.field, ray, 0) <= 0) continue;  // a tilted plane rises above the place where it begins
      const double expected_m = walked_hit_m(*field.field, ray, 1.5, 2e-4);
      ASSERT_TRUE(std::isfinite(expected_m)) << field.name;
      const auto hit = hitter.first_hit_m(ray);
      ASSERT_TRUE(hit) << field.name;
      EXPECT_NEAR(*hit, expected_m, 1e-9) << field.name << " ray " << i;
      const auto guided = hitter.first_hit_m(ray, expected_m + 3e-4);
      ASSERT_TRUE(guided) << field.name;
      EXPECT_NEAR(*guided, expected_m, 1e-9) << field.name << " ray " << i;
    }
  }
}

// Steep and grazing rays, rays upwards, guesses and none, in numbers that do not fill the lanes.
TEST(RayHit, ManyRaysMeetWhatEachMeetsAlone) {
  for (const NamedField& field : fields()) {
    std::mt19937_64 generator(5);
    const RayHitter hitter(*field.field);
    for (const std::size_t count : {0U, 1U, 15U, 53U}) {
      std::vector<WaterRay> rays;
      std::vector<double> depths_m;
      for (std::size_t i = 0; i < count; ++i) {
        rays.push_back(random_ray(generator, i % 3 == 0 ? 30 : 1));
        if (i % 7 == 3) rays.back().direction[2] *= -1;
        depths_m.push_back(i % 2 == 0 ? 0.21 : std::nan(""));
      }
      const std::vector<double> guesses_m = depths_m;
      hitter.first_hits_m(rays, depths_m);
      std::size_t met = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const auto alone_m = hitter.first_hit_m(rays[i], guesses_m[i]);
        ASSERT_EQ(std::isnan(depths_m[i]), !alone_m) << field.name << " ray " << i;
        if (!alone_m) continue;
        EXPECT_EQ(depths_m[i], *alone_m) << field.name << " ray " << i;
        ++met;
      }
      EXPECT_GE(met, count / 3) << field.name;
    }
  }
}

TEST(RayHit, GrazingRaysMeetTheFirstOfSeveralCrests) {
  for (const NamedField& field : fields()) {
    std::mt19937_64 generator(11);  // the same rays however many fields there are
    if (!std::isfinite(field.field->bounds().z_min_m))
      continue;  // rises out of the water where grazing rays go
    const RayHitter hitter(*field.field);
    int met = 0;
    for (int i = 0; i < 60; ++i) {
      WaterRay ray = random_ray(generator, 1);
      ray =
          ray_along(to_vec3(ray.origin_m), {ray.direction[0] * 20, ray.direction[1] * 20, ray.direction[2]});
      const double expected_m = walked_hit_m(*field.field, ray, 6, 2e-4);
      const auto hit = hitter.first_hit_m(ray);
      if (!std::isfinite(expected_m)) continue;  // farther away than the oracle walks
      ASSERT_TRUE(hit) << field.name;
      // The oracle may step over a crest that is only just touched; then ours is the earlier one, and it is
      // on the surface.
      if (*hit < expected_m - 1e-9)
        EXPECT_NEAR(gap_m(*field.field, ray, *hit), 0, 1e-9) << field.name;
      else
        EXPECT_NEAR(*hit, expected_m, 1e-8) << field.name << " ray " << i;
      ++met;
    }
    EXPECT_GT(met, 20) << field.name;
  }
}

TEST(RayHit, RaysFromARealCameraHitEverywhere) {
  // A library whose casts never hit once passed for a working one: count.
  const auto plane = make_plane({}, {});
  const RayHitter hitter(renderable_surface(*plane, "flat_plane"));
  int hits = 0;
  for (int i = 0; i < 100; ++i) {
    const double x = 0.01 * i, y = -0.005 * i;
    const WaterRay ray = ray_along({x, y, 0.978}, {0.6 - 0.01 * i, 0.1, 1});
    const auto hit = hitter.first_hit_m(ray);
    if (!hit) continue;
    ++hits;
    EXPECT_NEAR(*hit, 0.2 / ray.direction[2], 1e-12);
  }
  EXPECT_EQ(hits, 100);
}

TEST(RayHit, MissesAreSaid) {
  const auto undulating = make_undulating({}, {});
  const PatchHeightField& field = renderable_surface(*undulating, "undulating");
  const WaterRay down{{0, 0, 0.978}, {0, 0, 1}};
  EXPECT_TRUE(RayHitter(field).first_hit_m(down));
  EXPECT_FALSE(RayHitter(field, 0.1).first_hit_m(down)) << "beyond the maximum depth";
  EXPECT_FALSE(RayHitter(field).first_hit_m(ray_along({0, 0, 0.978}, {1, 0, 1e-7})))
      << "meets it only kilometres away";
  EXPECT_FALSE(RayHitter(field).first_hit_m({{0, 0, 1.3}, {0, 0, 1}})) << "starts below the surface";
  EXPECT_FALSE(RayHitter(field).first_hit_m(ray_along({0, 0, 1.3}, {1, 0, 0.1})));
  // A plane that rises along the ray faster than the ray sinks is met; one that falls faster is not.
  const auto tilted = make_plane({1.178, 2.0, 0}, {});
  const RayHitter hitter(renderable_surface(*tilted, "tilted"));
  EXPECT_FALSE(hitter.first_hit_m(ray_along({0, 0, 0.978}, {1, 0, 1})));
  EXPECT_NEAR(hitter.first_hit_m(ray_along({0, 0, 0.978}, {-1, 0, 1})).value_or(0), 0.2 / 3 * std::sqrt(2.0),
              1e-12);
}

TEST(RayHit, AMeshIsRefusedByName) {
  TriangleMesh mesh;
  mesh.vertices_m = {{0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
  mesh.triangles = {{0, 2, 1}};
  const auto surface = make_mesh_surface(mesh);
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { renderable_surface(*surface, "mesh:a.ply"); }),
              ::testing::HasSubstr("mesh:a.ply"));
}

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
  const auto [one, three] = on_threads<1, 3>([&] { return count_views(field, rig, points); });
  EXPECT_EQ(three, one);
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
