// Rays against surfaces by formula: the oracle walks along the ray in small steps and bisects the first
// change of sign, using heights alone.

#include "scenes/rendering/ray_hit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "scenes/surfaces/mesh_surface.h"
#include "scenes/surfaces/mound.h"
#include "scenes/surfaces/plane.h"
#include "scenes/surfaces/ripples/ripple_field.h"
#include "scenes/surfaces/step.h"
#include "scenes/surfaces/undulating.h"
#include "tests/core/error_matcher.h"
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

}  // namespace
}  // namespace aqbench
