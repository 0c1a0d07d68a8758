#include "scenes/optics/refractive_camera.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "core/error.h"
#include "scenes/optics/camera.h"
#include "tests/scenes/optics/optics_fixtures.h"

namespace aqbench {
namespace {

using namespace aqbench::optics_testing;

// Independent solutions of the refraction problem in long double, from the camera's matrices and the
// definition alone: nothing here is shared with scenes/optics/snell.h.

// Where the ray from a camera h_air above the surface to a point h_water below it, rho apart, crosses the
// surface, measured from the camera's foot: bisection on n_air sin(air) - n_water sin(water), which grows
// with r.
long double crossing_by_bisection(long double rho, long double h_air, long double h_water, long double n_air,
                                  long double n_water) {
  long double low = 0, high = rho;
  for (int i = 0; i < 200; ++i) {
    const long double r = (low + high) / 2;
    const long double excess =
        n_air * r / std::hypot(r, h_air) - n_water * (rho - r) / std::hypot(rho - r, h_water);
    (excess < 0 ? low : high) = r;
  }
  return (low + high) / 2;
}

// The same by Fermat's principle: golden section search for the shortest optical path.
long double crossing_by_fermat(long double rho, long double h_air, long double h_water, long double n_air,
                               long double n_water) {
  const auto path = [&](long double r) {
    return n_air * std::hypot(r, h_air) + n_water * std::hypot(rho - r, h_water);
  };
  const long double golden = (std::sqrt(5.0L) - 1) / 2;
  long double low = 0, high = rho;
  for (int i = 0; i < 120; ++i) {
    const long double a = high - golden * (high - low), b = low + golden * (high - low);
    (path(a) < path(b) ? high : low) = path(a) < path(b) ? b : a;
  }
  return (low + high) / 2;
}

// The pixel at which a camera sees a point of the surface or of the air: a plain pinhole.
std::optional<Vec2> pinhole_pixel(const Camera& camera, const Vec3& point_m) {
  const Vec3 p = camera.camera_from_world.rotation * point_m + camera.camera_from_world.translation_m;
  if (!(p.z() > 0)) return std::nullopt;
  const Mat3& k = camera.intrinsics.K;
  return Vec2(k(0, 0) * p.x() / p.z() + k(0, 2), k(1, 1) * p.y() / p.z() + k(1, 2));
}

// The pixel of a point under water: that of the place where its ray crosses the surface.
template <class Crossing>
std::optional<Vec2> refracted_pixel(const Camera& camera, const WaterInterface& water, const Vec3& point_m,
                                    Crossing&& crossing) {
  const Vec3 centre = camera_centre_m(camera.camera_from_world);
  const long double dx = static_cast<long double>(point_m.x()) - centre.x();
  const long double dy = static_cast<long double>(point_m.y()) - centre.y();
  const long double rho = std::hypot(dx, dy);
  const long double r =
      crossing(rho, static_cast<long double>(water.water_z_m) - centre.z(),
               static_cast<long double>(point_m.z()) - water.water_z_m, water.n_air, water.n_water);
  const long double share = rho > 0 ? r / rho : 0;
  return pinhole_pixel(camera, Vec3(static_cast<double>(centre.x() + share * dx),
                                    static_cast<double>(centre.y() + share * dy), water.water_z_m));
}

const double kIndexRatios[][2] = {{1, 1.333}, {1, 1.5},     {1, 1.0003}, {1, 2.4},
                                  {1.333, 1}, {1.5, 1.333}, {1, 1}};

Camera downward_camera(const Vec3& centre_m) {
  return {"down", pinhole(1600, 1200, 1504.6), {Mat3::Identity(), -centre_m}, false};
}

TEST(Project, EqualsBisectionOfSnellsLaw) {
  Draws draws{11};
  for (const auto& [n_air, n_water] : kIndexRatios) {
    for (int i = 0; i < 400; ++i) {
      const WaterInterface water{draws.uniform(0.5, 2), n_air, n_water};
      const Camera camera =
          tilted_camera(draws, {draws.uniform(-1, 1), draws.uniform(-1, 1), draws.uniform(-1, 0.45)}, 0.6);
      const Vec3 point(draws.uniform(-1, 1), draws.uniform(-1, 1), water.water_z_m + draws.uniform(1e-4, 2));
      const auto expected = refracted_pixel(camera, water, point, crossing_by_bisection);
      const auto actual = project(refractive_camera(camera, water), point);
      ASSERT_EQ(actual.has_value(), expected.has_value());
      // Near the camera's horizon a pixel is thousands of widths away; compare there relatively.
      if (actual) {
        EXPECT_LT((actual->pixel - *expected).norm(), 1e-9 * (1 + expected->norm()));
      }
    }
  }
}

TEST(Project, TakesTheShortestOpticalPath) {
  Draws draws{12};
  const WaterInterface water{0.978, 1, 1.333};
  const Camera camera = tilted_camera(draws, {0.3, -0.2, 0}, 0.3);
  for (int i = 0; i < 200; ++i) {
    const Vec3 point(draws.uniform(-0.5, 0.5), draws.uniform(-0.5, 0.5), draws.uniform(1, 2));
    const auto expected = refracted_pixel(camera, water, point, crossing_by_fermat);
    const auto actual = project(refractive_camera(camera, water), point);
    ASSERT_TRUE(expected && actual);
    EXPECT_LT((actual->pixel - *expected).norm(), 1e-5);  // golden section knows r to sqrt(epsilon)
  }
}

// Snell's law itself and the ray through the crossing point.
TEST(CastRay, ObeysSnellsLaw) {
  Draws draws{13};
  for (const auto& [n_air, n_water] : kIndexRatios) {
    for (int i = 0; i < 300; ++i) {
      const WaterInterface water{0.978, n_air, n_water};
      const Camera camera = tilted_camera(draws, {draws.uniform(-1, 1), 0.1, 0.2}, 0.3);
      const Vec2 pixel(draws.uniform(0, 1599), draws.uniform(0, 1199));
      const auto ray = cast_ray(refractive_camera(camera, water), pixel);
      const Vec3 centre = camera_centre_m(camera.camera_from_world);
      const Vec3 in_air = (camera.camera_from_world.rotation.transpose() * camera.intrinsics.K.inverse() *
                           Vec3(pixel.x(), pixel.y(), 1))
                              .normalized();
      const double sine = std::hypot(in_air.x(), in_air.y());
      if (n_air * sine >= n_water) {
        EXPECT_FALSE(ray) << "beyond the critical angle";
        continue;
      }
      ASSERT_TRUE(ray);
      EXPECT_EQ(ray->origin_m[2], water.water_z_m);
      EXPECT_LT((to_vec3(ray->origin_m) - centre).cross(in_air).norm(), 1e-12);
      EXPECT_NEAR(to_vec3(ray->direction).norm(), 1, 1e-15);
      EXPECT_NEAR(n_water * std::hypot(ray->direction[0], ray->direction[1]), n_air * sine, 1e-14);
      // In the plane of incidence.
      EXPECT_NEAR(to_vec3(ray->direction).dot(in_air.cross(Vec3::UnitZ())), 0, 1e-15);
    }
  }
}

TEST(RoundTrip, PixelToPointToPixelBelowAMillionthOfAPixel) {
  Draws draws{14};
  double worst_px = 0, worst_depth_m = 0;
  for (const auto& [n_air, n_water] : kIndexRatios) {
    for (int i = 0; i < 2000; ++i) {
      const WaterInterface water{0.978, n_air, n_water};
      const RefractiveCamera camera = refractive_camera(
          tilted_camera(draws, {draws.uniform(-1, 1), draws.uniform(-1, 1), draws.uniform(-1, 0.9)}, 0.5),
          water);
      const Vec2 pixel(draws.uniform(0, 1599), draws.uniform(0, 1199));
      const auto ray = cast_ray(camera, pixel);
      if (!ray) continue;
      const double depth_m = std::exp(draws.uniform(std::log(1e-4), std::log(10)));
      const auto back = project(camera, point_on_ray(*ray, depth_m));
      // A ray within 1e-9 of the surface may end on it by rounding.
      if (depth_m * ray->direction[2] < 1e-9) continue;
      ASSERT_TRUE(back);
      worst_px = std::max(worst_px, (back->pixel - pixel).norm());
      worst_depth_m = std::max(worst_depth_m, std::abs(back->depth_along_ray_m - depth_m));
    }
  }
  EXPECT_LT(worst_px, 1e-6);
  EXPECT_LT(worst_depth_m, 1e-10);
}

TEST(Project, WithoutWaterIsThePinhole) {
  Draws draws{15};
  for (int i = 0; i < 500; ++i) {
    const Camera camera = tilted_camera(draws, {draws.uniform(-1, 1), 0.3, 0.1}, 0.3);
    const WaterInterface dry{0.978, 1, 1};
    const Vec3 point(draws.uniform(-1, 1), draws.uniform(-1, 1), draws.uniform(0.979, 3));
    const auto expected = pinhole_pixel(camera, point);
    const auto actual = project(refractive_camera(camera, dry), point);
    ASSERT_TRUE(expected && actual);
    EXPECT_LT((actual->pixel - *expected).norm(), 1e-11 * (1 + expected->norm()));
    const auto ray = cast_ray(refractive_camera(camera, dry), actual->pixel);
    ASSERT_TRUE(ray);
    const Vec3 centre = camera_centre_m(camera.camera_from_world);
    EXPECT_LT(to_vec3(ray->direction).cross((point - centre).normalized()).norm(), 1e-14);
    // The very direction of the ray in air: not one bit of refraction.
    const Vec3 in_air = (to_vec3(ray->origin_m) - centre).normalized();
    EXPECT_LT((to_vec3(ray->direction) - in_air).norm(), 1e-15);
  }
}

TEST(Project, OnTheAxisAndBesideIt) {
  const WaterInterface water{0.978, 1, 1.333};
  const RefractiveCamera camera = refractive_camera(downward_camera({0.1, 0.2, 0}), water);
  const auto on_axis = project(camera, {0.1, 0.2, 1.178});
  ASSERT_TRUE(on_axis);
  EXPECT_EQ(on_axis->pixel, Vec2(799.5, 599.5));
  EXPECT_NEAR(on_axis->depth_along_ray_m, 0.2, 1e-15);
  // To first order the apparent depth of the water is its depth times n_air / n_water.
  const double offset_m = 1e-7;
  const auto beside = project(camera, {0.1 + offset_m, 0.2, 1.178});
  ASSERT_TRUE(beside);
  EXPECT_NEAR(beside->pixel.x() - 799.5, 1504.6 * offset_m / (0.978 + 0.2 / 1.333), 1e-9);
}

TEST(Project, GrazingRaysConverge) {
  for (const auto& [n_air, n_water] : kIndexRatios) {
    if (n_air == n_water) continue;  // the pinhole, above; the oracle is a difference of two ones there
    const WaterInterface water{0, n_air, n_water};
    for (const double h_air : {1e-4, 0.01, 1.0, 100.0}) {
      const Camera camera = downward_camera({0, 0, -h_air});
      for (const double h_water : {1e-6, 1e-3, 0.2, 50.0}) {
        for (const double rho : {1e-9, 1e-3, 1.0, 1e3, 1e6}) {
          const Vec3 point(rho, 0, h_water);
          const auto expected = refracted_pixel(camera, water, point, crossing_by_bisection);
          const auto actual = project(refractive_camera(camera, water), point);
          ASSERT_TRUE(actual && expected);
          // Relative to the distance from the centre: the tangent of the ray's angle in air.
          EXPECT_NEAR((actual->pixel.x() - 799.5) / (expected->x() - 799.5), 1, 1e-5 * (rho < 1e-6) + 1e-9)
              << n_air << " " << n_water << " " << h_air << " " << h_water << " " << rho;
        }
      }
    }
  }
}

TEST(CastRay, IsTotallyReflectedBeyondTheCriticalAngle) {
  const WaterInterface water{0.978, 1.333, 1};  // the thin medium below
  const RefractiveCamera camera = refractive_camera(downward_camera({0, 0, 0}), water);
  const double critical_tangent = std::tan(std::asin(1 / 1.333));
  EXPECT_TRUE(cast_ray(camera, {799.5 + 1504.6 * (critical_tangent - 1e-9), 599.5}));
  EXPECT_FALSE(cast_ray(camera, {799.5 + 1504.6 * (critical_tangent + 1e-9), 599.5}));
  // Every point below is seen all the same, inside the critical cone.
  const auto far = project(camera, {1000, 0, 1.0});
  ASSERT_TRUE(far);
  EXPECT_LT((far->pixel.x() - 799.5) / 1504.6, critical_tangent);
  EXPECT_GT((far->pixel.x() - 799.5) / 1504.6, critical_tangent - 1e-3);
}

TEST(CastRay, RefusesRaysThatDoNotGoDown) {
  Camera level = downward_camera({0, 0, 0});
  level.camera_from_world.rotation << 1, 0, 0, 0, 0, 1, 0, -1,
      0;  // image down = world +Z, forward = world -Y
  const RefractiveCamera camera = refractive_camera(level, {});
  EXPECT_TRUE(cast_ray(camera, {799.5, 700}));
  EXPECT_FALSE(cast_ray(camera, {799.5, 599.5}));
  EXPECT_FALSE(cast_ray(camera, {799.5, 100}));
  EXPECT_FALSE(cast_ray(camera, {std::numeric_limits<double>::quiet_NaN(), 700}));
}

TEST(Project, RefusesPointsNotBelowTheWater) {
  const WaterInterface water{0.978, 1, 1.333};
  const RefractiveCamera camera = refractive_camera(downward_camera({0, 0, 0}), water);
  EXPECT_FALSE(project(camera, {0, 0, 0.978}));
  EXPECT_FALSE(project(camera, {0.1, 0, 0.9}));
  EXPECT_FALSE(project(camera, {0.1, 0, -3}));
  EXPECT_TRUE(project(camera, {0.1, 0, 0.978 + 1e-12}));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(project(camera, {nan, 0, 1}));
  EXPECT_FALSE(project(camera, {0, nan, 1}));
  EXPECT_FALSE(project(camera, {0, 0, nan}));
}

TEST(Project, RefusesPointsBehindTheCamera) {
  Camera tilted = downward_camera({0, 0, 0});
  tilted.camera_from_world.rotation << 1, 0, 0, 0, 0, 1, 0, -1, 0;  // forward = world -Y
  const RefractiveCamera camera = refractive_camera(tilted, {});
  EXPECT_TRUE(project(camera, {0, -1, 1.2}));
  EXPECT_FALSE(project(camera, {0, 1, 1.2}));
}

TEST(RefractiveCamera, RefusesACameraThatIsNotAboveTheWater) {
  for (const double z_m : {0.978, 1.5})
    EXPECT_THAT(error_of(ErrorKind::input,
                         [&] {
                           refractive_camera(downward_camera({0, 0, z_m}), {});
                         }),
                ::testing::HasSubstr("cameras.down.extrinsics: the camera's centre"));
}

// Cameras without an interface, turned anywhere: a pinhole whose rays start at its centre.
TEST(NoInterface, IsThePinholeInEveryDirection) {
  Draws draws{31};
  int behind = 0;
  for (int i = 0; i < 500; ++i) {
    Camera camera = tilted_camera(draws, {draws.uniform(-9, 9), 0.3, draws.uniform(-9, 9)}, 3.1);
    camera.interface = NoInterface{};
    const RefractiveCamera prepared = aqbench::refractive_camera(camera);
    const Vec3 centre = camera_centre_m(camera.camera_from_world);
    const Vec2 pixel(draws.uniform(0, 1599), draws.uniform(0, 1199));
    const auto ray = cast_ray(prepared, pixel);
    ASSERT_TRUE(ray);
    EXPECT_LT((to_vec3(ray->origin_m) - centre).norm(), 1e-14);
    const double depth_m = draws.uniform(0.01, 30);
    const Vec3 point = point_on_ray(*ray, depth_m);
    const auto expected = pinhole_pixel(camera, point);
    const auto seen = project(prepared, point);
    ASSERT_TRUE(expected && seen);
    EXPECT_LT((*expected - pixel).norm(), 1e-8);
    EXPECT_LT((seen->pixel - pixel).norm(), 1e-8);
    EXPECT_NEAR(seen->depth_along_ray_m, depth_m, 1e-12);
    behind += project(prepared, centre - (point - centre)) ? 0 : 1;
  }
  EXPECT_EQ(behind, 500);
}

}  // namespace
}  // namespace aqbench
