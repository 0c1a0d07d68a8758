#include "scenes/optics/triangulation.h"

#include <gtest/gtest.h>

#include "tests/scenes/optics/optics_fixtures.h"

namespace aqbench {
namespace {

using namespace aqbench::optics_testing;

// Rays of the ring's 12 cameras through the exact images of `point_m`, cast with the given water.
std::vector<WaterRay> ring_rays(const Vec3& point_m, const WaterInterface& assumed) {
  const Rig rig = make_rig("ring12", {}, 0);
  std::vector<WaterRay> rays;
  for (const Camera& camera : rig.cameras) {
    if (camera.is_auxiliary) continue;
    const auto seen = project(refractive_camera(camera), point_m);
    rays.push_back(cast_ray(optics_testing::refractive_camera(camera, assumed), seen.value().pixel).value());
  }
  return rays;
}

TEST(Triangulate, IgnoringRefractionLiftsThePlanesCentreBy59Point5Millimetres) {
  const Vec3 centre(0, 0, 1.178);
  const auto rays = ring_rays(centre, {0.978, 1, 1});
  ASSERT_EQ(rays.size(), 12u);
  const auto found = triangulate(rays);
  ASSERT_TRUE(found);
  EXPECT_NEAR((centre.z() - found->point_m.z()) * 1000, 59.5, 1.0);
  EXPECT_NEAR(found->point_m.head<2>().norm(), 0, 1e-12);
}

TEST(Triangulate, WithRefractionFindsThePoint) {
  Draws draws{31};
  for (int i = 0; i < 100; ++i) {
    const Vec3 point(draws.uniform(-0.25, 0.25), draws.uniform(-0.15, 0.15), draws.uniform(1.1, 1.3));
    const auto found = triangulate(ring_rays(i == 0 ? Vec3(0, 0, 1.178) : point, {}));
    ASSERT_TRUE(found);
    EXPECT_LT((found->point_m - (i == 0 ? Vec3(0, 0, 1.178) : point)).norm(), 1e-9);  // asked: 1e-5
    EXPECT_LT(found->rms_distance_m, 1e-9);
  }
}

// Two skew lines: x axis, and the y axis lifted by 2. The closest point is half way up.
TEST(Triangulate, TwoSkewRaysMeetHalfWay) {
  const WaterRay along_x{{-3, 0, 0}, {1, 0, 0}}, along_y{{0, 5, 2}, {0, 1, 0}};
  const auto found = triangulate(std::vector<WaterRay>{along_x, along_y});
  ASSERT_TRUE(found);
  EXPECT_LT((found->point_m - Vec3(0, 0, 1)).norm(), 1e-12);
  EXPECT_NEAR(found->rms_distance_m, 1, 1e-12);
}

TEST(Triangulate, MinimisesTheSumOfSquaredDistances) {
  Draws draws{32};
  std::vector<WaterRay> rays;
  for (int i = 0; i < 7; ++i)
    rays.push_back(ray_along({draws.uniform(-1, 1), draws.uniform(-1, 1), 1e3},
                             {draws.uniform(-1, 1), draws.uniform(-1, 1), 1}));
  const auto sum = [&](const Vec3& point) {
    double total = 0;
    for (const WaterRay& ray : rays)
      total += (point - to_vec3(ray.origin_m)).cross(to_vec3(ray.direction)).squaredNorm();
    return total;
  };
  const auto found = triangulate(rays);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->rms_distance_m, std::sqrt(sum(found->point_m) / 7), 1e-12);
  for (int axis = 0; axis < 3; ++axis)
    for (const double step : {-1e-3, 1e-3})
      EXPECT_GT(sum(found->point_m + step * Vec3::Unit(axis)), sum(found->point_m));
}

TEST(Triangulate, NeedsTwoRaysThatAreNotParallel) {
  const WaterRay down{{0, 0, 0}, {0, 0, 1}}, beside{{1, 0, 0}, {0, 0, 1}};
  const WaterRay nearly = ray_along({1, 0, 0}, {1e-8, 0, 1});
  const WaterRay enough = ray_along({1, 0, 0}, {-1e-3, 0, 1});
  EXPECT_FALSE(triangulate({}));
  EXPECT_FALSE(triangulate(std::vector<WaterRay>{down}));
  EXPECT_FALSE(triangulate(std::vector<WaterRay>{down, beside}));
  EXPECT_FALSE(triangulate(std::vector<WaterRay>{down, nearly}));
  const auto found = triangulate(std::vector<WaterRay>{down, enough});
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->point_m.z(), 1000, 1e-3);
}

}  // namespace
}  // namespace aqbench
